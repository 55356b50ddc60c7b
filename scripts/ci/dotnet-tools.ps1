# dotnet-trace and dotnet-counters read a Node.js process through its diagnostic port, a named pipe on Windows. The
# checkout set up (npm run setup). The files stay in build/etw/dotnet.
$ErrorActionPreference = 'Stop'
$root = Resolve-Path (Join-Path $PSScriptRoot '../..')
$folder = Join-Path $root 'build/etw/dotnet'
New-Item -ItemType Directory -Force $folder | Out-Null
$tools = Join-Path $env:RUNNER_TEMP 'dotnet-tools'
foreach ($tool in 'dotnet-trace', 'dotnet-counters') {
  dotnet tool install $tool --tool-path $tools
  if ($LASTEXITCODE -ne 0) { throw "$tool could not be installed." }
}

@'
import 'tracewright/diagnostics/register';
import { defineEventSource, event } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';
enableRuntimeEvents();
const log = defineEventSource('MyCompany-MyService', { Tick: event({ number: 'uint32' }) });
let number = 0;
setInterval(() => log.Tick({ number: number++ }), 10);
'@ | Set-Content "$folder\app.mjs"
$env:TRACEWRIGHT_DIAGNOSTICS = '1'
$app = Start-Process node "`"$folder\app.mjs`"" -WorkingDirectory $root -PassThru
try {
  $end = (Get-Date).AddSeconds(30)
  do {
    Start-Sleep -Milliseconds 200
    $list = & "$tools\dotnet-trace" ps | Out-String
    if ((Get-Date) -gt $end) { throw "dotnet-trace does not see the process:`n$list" }
  } until ($list -match "\b$($app.Id)\b")
  & "$tools\dotnet-trace" collect -p $app.Id --providers MyCompany-MyService --duration 00:00:03 -o "$folder\trace.nettrace"
  if ($LASTEXITCODE -ne 0) { throw 'dotnet-trace did not collect.' }
  $stats = & node "$root\dist\cjs\cli.cjs" stats "$folder\trace.nettrace" | Out-String
  Write-Host $stats
  if ($stats -notmatch 'Tick') { throw 'What dotnet-trace collected has no event Tick.' }
  & "$tools\dotnet-counters" collect -p $app.Id --counters Node.Runtime --duration 00:00:05 --format csv -o "$folder\counters.csv"
  if ($LASTEXITCODE -ne 0) { throw 'dotnet-counters did not collect.' }
  if ((Get-Content "$folder\counters.csv").Count -lt 3) { throw 'dotnet-counters has no counters.' }
} finally {
  Stop-Process -Id $app.Id -Force
}
Write-Host 'dotnet-trace and dotnet-counters read the pipe.'
