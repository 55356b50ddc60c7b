# PerfView records etw-program.mjs, and lists its events by the names that it shows. As administrator, on Windows; the
# checkout set up (npm run setup). The files stay in build/etw/perfview.
$ErrorActionPreference = 'Stop'
$root = Resolve-Path (Join-Path $PSScriptRoot '../..')
$folder = Join-Path $root 'build/etw/perfview'
New-Item -ItemType Directory -Force $folder | Out-Null
$perfview = Join-Path $env:RUNNER_TEMP 'PerfView.exe'
Invoke-WebRequest 'https://github.com/microsoft/perfview/releases/download/v3.1.30/PerfView.exe' -OutFile $perfview
$signature = Get-AuthenticodeSignature $perfview
if ($signature.Status -ne 'Valid' -or $signature.SignerCertificate.Subject -notmatch 'O=Microsoft Corporation') {
  throw "PerfView is not Microsoft's: $($signature.Status)."
}

function Start-PerfView([string[]] $arguments) {
  Start-Process $perfview (@('/NoGui', '/AcceptEULA', "/LogFile:$folder\perfview.log") + $arguments) -PassThru
}

function Wait-PerfView($process, [int] $seconds) {
  if ($process.WaitForExit($seconds * 1000)) { return }
  $process.Kill()
  Get-Content "$folder\perfview.log" | Write-Host
  throw "PerfView did not end in $seconds s."
}

$options = @('/OnlyProviders=*MyCompany-MyService', '/MaxCollectSec:20', '/Merge:false', '/Zip:false', '/NoRundown')
$collecting = Start-PerfView ($options + @("/DataFile:$folder\trace.etl", 'collect'))
# The program waits until its provider is enabled
& node (Join-Path $root 'scripts/ci/etw-program.mjs') > "$folder\heard.json"
if ($LASTEXITCODE -ne 0) { throw 'The program failed.' }
Wait-PerfView $collecting 120

Wait-PerfView (Start-PerfView @('UserCommand', 'DumpEventsAsXml', "$folder\trace.etl")) 120
$xml = Get-ChildItem $folder -Filter '*.xml' | Select-Object -First 1
if ($null -eq $xml) { Get-Content "$folder\perfview.log" | Write-Host; throw 'PerfView listed no events.' }
$names = Select-String -Path $xml.FullName -Pattern 'EventName="([^"]*)"' -AllMatches |
  ForEach-Object { $_.Matches } | ForEach-Object { $_.Groups[1].Value } | Group-Object
$names | ForEach-Object { Write-Host "$($_.Count) $($_.Name)" }
foreach ($expected in 'RequestStart/Start', 'RequestStop/Stop', 'QueryStart/Start', 'QueryStop/Stop', 'Row') {
  $found = $names | Where-Object { $_.Name -match "(^|/)$([regex]::Escape($expected))$" }
  if ($null -eq $found -or $found.Count -ne 5) { throw "PerfView lists $($found.Count) of 5 events $expected." }
}
Write-Host 'PerfView lists all events by their names.'
