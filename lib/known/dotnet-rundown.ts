/**
 * The events of Microsoft-Windows-DotNETRuntimeRundown, by id: what existed when a session started or ended.
 *
 * Sources: the runtime's manifest (dotnet/runtime, src/coreclr/vm/ClrEtwAll.man); the names of events are TraceEvent's
 * (microsoft/perfview, ClrTraceEventParser.cs).
 */
import {
  APP_DOMAIN,
  ASSEMBLY,
  ASSEMBLY_V0,
  CHECKPOINT,
  CLR,
  DOMAIN_MODULE,
  IL_TO_NATIVE_MAP,
  METHOD,
  METHOD_VERBOSE,
  MODULE,
  MODULE_RANGE,
  RUNTIME_INFORMATION,
  STACK,
  THREAD,
  TIERED_SETTINGS,
} from './dotnet-fields.ts';
import { DOTNET_MAPS } from './dotnet-maps.ts';
import type { EventTable } from './event-table.ts';

export const DOTNET_RUNDOWN: EventTable = {
  provider: 'Microsoft-Windows-DotNETRuntimeRundown',
  maps: DOTNET_MAPS,
  entries: `
ClrStack v0 Walk=0: ${STACK}
GC v0 SettingsRundown=10: HardLimit uint64, LOHThreshold uint64, PhysicalMemoryConfig uint64,
  Gen0MinBudgetConfig uint64, Gen0MaxBudgetConfig uint64, HighMemPercentConfig uint32, BitSettings hex32, ${CLR}
Method v0 DCStart=141 DCStop=142: ${METHOD}
Method v0 DCStartVerbose=143 DCStopVerbose=144: ${METHOD_VERBOSE}
Method v0 DCStartComplete=145 DCStopComplete=146 DCStartInit=147 DCStopInit=148: ${CLR}
Method v0 ILToNativeMapDCStart=149 ILToNativeMapDCStop=150: ${IL_TO_NATIVE_MAP}
Loader v0 DomainModuleDCStart=151 DomainModuleDCStop=152: ${DOMAIN_MODULE}
Loader v0 ModuleDCStart=153 ModuleDCStop=154: ${MODULE}
Loader v0 AssemblyDCStart=155 AssemblyDCStop=156: ${ASSEMBLY_V0}
Loader v1 AssemblyDCStart=155 AssemblyDCStop=156: ${ASSEMBLY}
Loader v0 AppDomainDCStart=157 AppDomainDCStop=158: ${APP_DOMAIN}
Loader v0 ThreadDCStop=159: ${THREAD}
ClrPerfTrack v0 ModuleRangeDCStart=160 ModuleRangeDCStop=161: ${MODULE_RANGE}
Runtime v0 Start=187: ${RUNTIME_INFORMATION}
TieredCompilationRundown v0 SettingsDCStart=280/11: ${TIERED_SETTINGS}
ExecutionCheckpointRundown v0 ExecutionCheckpointDCEnd=300: ${CHECKPOINT}
`,
};
