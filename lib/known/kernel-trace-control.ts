/**
 * What KernelTraceControl.dll adds when PerfView, xperf or the Performance Recorder merge traces: how to identify
 * images, and descriptions of events, which `trace-event-info.ts` and `event-map-info.ts` read.
 *
 * Source: PerfView's description of what it reads (TraceEvent, SymbolTraceEventParser), and WMI_IMAGEID_INFORMATION of
 * Windows' `ntwmi.h`.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'KernelTraceControl';

const DEBUG_ID = 'ImageBase pointer, ProcessID uint32, GuidSig guid, Age uint32, PDBFileName utf8';

export const IMAGE_ID: KernelTable = {
  provider,
  guid: 'b3e675d7-2554-4f18-830b-2762732560de',
  entries: `
ImageID v0 Info=0: ImageBase pointer, ImageSize pointer, ProcessID uint32, TimeDateStamp uint32,
  OriginalFileName utf16
ImageID v0 None=32: ImageBase pointer, ProcessID uint32
ImageID v0 DbgID_RSDS=36 DbgID_ILRSDS=37: ${DEBUG_ID}
ImageID v0 DbgPPDB=38: ImageBase pointer, ProcessID uint32, TimeDateStamp uint32, MajorVersion uint16,
  MinorVersion uint16
ImageID v0 DbgDeterm=40: ImageBase pointer, ProcessID uint32
ImageID v0 FileVersion=64: ImageSize uint32, TimeDateStamp uint32, OrigFileName utf16, FileDescription utf16,
  FileVersion utf16, BinFileVersion utf16, VerLanguage utf16, ProductName utf16, CompanyName utf16,
  ProductVersion utf16, FileId utf16, ProgramId utf16
`,
};

export const META_DATA: KernelTable = {
  provider,
  guid: 'bbccf6c1-6cd1-48c4-80ff-839482e37671',
  entries: `
MetaData v0 EventInfo=32: ProviderGuid guid, EventGuid guid, EventID uint16, EventVersion uint8,
  EventChannel uint8, EventLevel uint8, EventOpcode uint8, EventTask uint16, EventKeywords hex64,
  _Description binary
MetaData v0 EventMapInfo=33: ProviderGuid guid, _Map binary
`,
};

/** Compressed with LZNT1, as in [MS-XCA]: XML in UTF-16. */
export const WIN_SAT: KernelTable = {
  provider,
  guid: 'ed54dff8-c409-4cf6-bf83-05e1e61a09c4',
  entries: `
WinSat v0 WinSPR=33 Metrics=35 SystemConfig=37: State uint32, UncompressedLength uint32, CompressedXml binary
`,
};
