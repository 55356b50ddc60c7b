# Who may record, and whose port is whose: `tracewright record` as a user of no group, who is refused in a sentence,
# and as a member of Performance Log Users, who records and sees all sessions; and a diagnostic port that another user
# cannot open. As administrator, on a Windows machine that is thrown away; the checkout set up (npm run setup).
$ErrorActionPreference = 'Stop'
$root = Resolve-Path (Join-Path $PSScriptRoot '../..')
$folder = Join-Path $root 'build/etw/users'
New-Item -ItemType Directory -Force $folder | Out-Null
icacls $folder /grant '*S-1-5-32-545:(OI)(CI)M' | Out-Null
$node = (Get-Command node).Source
$cli = Join-Path $root 'dist/cjs/cli.cjs'
$program = Join-Path $root 'scripts/ci/etw-program.mjs'

function New-User([string] $name, [bool] $logs) {
  $password = ConvertTo-SecureString ([guid]::NewGuid().ToString() + 'aA1!') -AsPlainText -Force
  New-LocalUser -Name $name -Password $password -AccountNeverExpires | Out-Null
  # By its SID: the group has another name in each language.
  if ($logs) { Add-LocalGroupMember -SID 'S-1-5-32-559' -Member $name }
  New-Object System.Management.Automation.PSCredential($name, $password)
}

# The program's own account of itself: PowerShell may have no exit code of another user's process, nor may wait for it.
$runner = Join-Path $folder 'runner.mjs'
Set-Content $runner @'
import { spawnSync } from 'node:child_process';
import { openSync, renameSync, writeFileSync } from 'node:fs';
const [path, ...args] = process.argv.slice(2);
const files = ['out', 'err'].map((name) => openSync(`${path}.${name}`, 'w'));
const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', ...files], timeout: 120_000 });
writeFileSync(`${path}.part`, String(status));
renameSync(`${path}.part`, `${path}.status`);
'@

function Invoke-As($credential, [string] $name, [string[]] $arguments) {
  $quoted = @($runner, "$folder/$name") + $arguments | ForEach-Object { '"' + $_ + '"' }
  Start-Process $node $quoted -Credential $credential -WorkingDirectory $folder
  $end = (Get-Date).AddSeconds(150)
  while (-not (Test-Path "$folder/$name.status")) {
    if ((Get-Date) -gt $end) { throw "$name did not end." }
    Start-Sleep -Milliseconds 200
  }
  $status = Get-Content -Raw "$folder/$name.status"
  Write-Host "$name ended with ${status}:"
  Get-Content "$folder/$name.err" | Write-Host
  if ($status -notmatch '^\d+$') { throw "$name was ended after its time limit." }
  @{
    Status = [long] $status
    Output = (Get-Content -Raw "$folder/$name.out")
    Errors = (Get-Content -Raw "$folder/$name.err")
  }
}

$nobody = New-User 'tw-nobody' $false
$member = New-User 'tw-member' $true
$record = @($cli, 'record', '--provider', 'MyCompany-MyService', '-o')

$refused = Invoke-As $nobody 'refused' ($record + @("$folder/refused.etl", '--', $node, $program))
if ($refused.Status -eq 0 -or $refused.Errors -notmatch 'Performance Log Users') {
  throw 'A user outside the group was not refused with the sentence that says what is needed.'
}

$allowed = Invoke-As $member 'allowed' ($record + @("$folder/allowed.etl", '--', $node, $program))
if ($allowed.Status -ne 0 -or $allowed.Errors -notmatch 'Recorded into') {
  throw 'A member of Performance Log Users could not record.'
}
& $node $cli stats "$folder/allowed.etl"
if ($LASTEXITCODE -ne 0) { throw 'What the member recorded cannot be read.' }

logman start tw-listed -p '{c32b511d-c5d7-56bf-48d9-c96bbd9ed1e8}' -o "$folder/listed.etl" -ets
if ($LASTEXITCODE -ne 0) { throw 'logman did not start a session.' }
try {
  $listed = Invoke-As $member 'listed' @($cli, 'sessions', '--json', 'tw-listed')
  if ($listed.Status -ne 0 -or $listed.Output -notmatch '"name":"tw-listed"') {
    throw 'A member of Performance Log Users does not see a session of another user.'
  }
  $unlisted = Invoke-As $nobody 'unlisted' @($cli, 'sessions', '--json', 'tw-listed')
  if ($unlisted.Output -match 'tw-listed' -or $unlisted.Errors -notmatch 'Performance Log Users|There is no session') {
    throw 'A user outside the group sees the session, or is not told why not.'
  }
} finally {
  logman stop tw-listed -ets
}

# The port of this user's process, opened by another user's tool
$env:TRACEWRIGHT_DIAGNOSTICS = '1'
$wait = 'import("tracewright/diagnostics/register").then(() => setInterval(() => {}, 1000))'
$target = Start-Process $node @('-e', "`"$($wait.Replace('"', '\"'))`"") -WorkingDirectory $root -PassThru
try {
  # Until the port is there for its own user
  $end = (Get-Date).AddSeconds(30)
  do {
    & $node $cli collect -p $target.Id --duration 1 -o "$folder/own.nettrace"
    if ((Get-Date) -gt $end) { throw 'The port is closed to its own user.' }
  } until ($LASTEXITCODE -eq 0)
  $other = Invoke-As $nobody 'other' @($cli, 'collect', '-p', "$($target.Id)", '--duration', '1', '-o', "$folder/other.nettrace")
  if ($other.Status -eq 0) { throw 'Another user could open the port.' }
} finally {
  Stop-Process -Id $target.Id -Force
}
Write-Host 'Each user can do what they are permitted to, and nothing else.'
