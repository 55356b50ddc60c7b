/**
 * Kernel events of Windows 2000, XP, Server 2003 and Vista: the MOF classes _V0, _V1 and _V2 of Microsoft's
 * documentation, as the sizes and names of their properties.
 */
import { describe, expect, it } from 'vitest';
import { kernelEvent } from '../../lib/known/kernel.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import { utf16 } from '../wire/etl/etl-bytes.ts';

const PROCESS = 3;
const THREAD = 5;
const DISK = 1;
const FILE = 4;
const TCP = 6;
const UDP = 8;
const REGISTRY = 9;
const CONFIG = 0xb;
const PERF = 0xf;
const IMAGE = 0x14;
const FAULT = 2;
const SYSTEM_STACKS = '4 ProcessID,4 ThreadID,P StackBase,P StackLimit,P UserStackBase,P UserStackLimit';
const FILE_SIMPLE = 'P IrpPtr,P TTID,P FileObject';
const TCP_V1 = '4 PID,4 size,I daddr,I saddr,2 dport,2 sport';
const TCP_OPTIONS = '2 mss,2 sackopt,2 tsopt,2 wsopt,4 rcvwin,2 rcvwinscale,2 sndwinscale';

/** P is a pointer, S a SID with its TOKEN_USER, W UTF-16 and A ANSI with NUL, I an IPv4 address; - is not shown. */
const CLASSES: readonly (readonly [
  group: number,
  opcodes: readonly number[],
  version: number,
  text: string,
])[] = [
  [PROCESS, [1, 2, 3, 4], 0, 'P ProcessID,P ParentID,S UserSID,A ImageFileName'],
  [
    PROCESS,
    [1, 2, 3, 4],
    1,
    'P PageDirectoryBase,4 ProcessID,4 ParentID,4 SessionID,4 ExitStatus,S UserSID,A ImageFileName',
  ],
  [
    PROCESS,
    [1, 2, 3, 4, 39],
    2,
    'P UniqueProcessKey,4 ProcessID,4 ParentID,4 SessionID,4 ExitStatus,S UserSID,A ImageFileName,W CommandLine',
  ],
  [
    PROCESS,
    [1, 2, 3, 4, 39],
    3,
    'P UniqueProcessKey,4 ProcessID,4 ParentID,4 SessionID,4 ExitStatus,P PageDirectoryBase,S UserSID,A ImageFileName,W CommandLine',
  ],
  [THREAD, [1, 2, 3, 4], 0, '4 ThreadID,4 ProcessID'],
  [THREAD, [1, 3, 4], 1, `${SYSTEM_STACKS},P StartAddr,P Win32StartAddr,1 WaitMode`],
  [THREAD, [2], 1, '4 ProcessID,4 ThreadID'],
  [THREAD, [1, 2, 3, 4], 2, `${SYSTEM_STACKS},P StartAddr,P Win32StartAddr,P TebBase,4 SubProcessTag`],
  [
    THREAD,
    [36],
    1,
    '4 NewThreadID,4 OldThreadID,1 NewThreadPriority,1 OldThreadPriority,1 NewThreadQuantum,1 OldThreadQuantum,1 OldThreadWaitReason,1 OldThreadWaitMode,1 OldThreadState,1 OldThreadWaitIdealProcessor',
  ],
  [
    THREAD,
    [36],
    2,
    '4 NewThreadID,4 OldThreadID,1 NewThreadPriority,1 OldThreadPriority,1 PreviousCState,1 -,1 OldThreadWaitReason,1 OldThreadWaitMode,1 OldThreadState,1 OldThreadWaitIdealProcessor,4 NewThreadWaitTime,4 -',
  ],
  [IMAGE, [10], 0, 'P ImageBase,4 ImageSize,W FileName'],
  [IMAGE, [10], 1, 'P ImageBase,P ImageSize,4 ProcessID,W FileName'],
  [PROCESS, [10], 1, 'P ImageBase,P ImageSize,4 ProcessID,W FileName'],
  [
    IMAGE,
    [2, 3, 4, 10],
    2,
    'P ImageBase,P ImageSize,4 ProcessID,4 ImageChecksum,4 TimeDateStamp,4 -,P DefaultBase,4 -,4 -,4 -,4 -,W FileName',
  ],
  [DISK, [10, 11], 0, '4 DiskNumber,4 IrpFlags,4 TransferSize,4 -,8 ByteOffset,P FileKey'],
  [
    DISK,
    [10, 11],
    1,
    '4 DiskNumber,4 IrpFlags,4 TransferSize,4 ResponseTime,8 ByteOffset,P FileKey,8 HighResResponseTime',
  ],
  [
    DISK,
    [10, 11],
    2,
    '4 DiskNumber,4 IrpFlags,4 TransferSize,4 -,8 ByteOffset,P FileKey,P Irp,8 HighResResponseTime',
  ],
  [FILE, [0, 32], 0, 'P FileKey,W FileName'],
  [FILE, [0, 32], 1, 'P FileKey,W FileName'],
  [FILE, [64], 2, `${FILE_SIMPLE},4 CreateOptions,4 FileAttributes,4 ShareAccess,W FileName`],
  [FILE, [65, 66, 73], 2, `${FILE_SIMPLE},P FileKey`],
  [FILE, [67, 68], 2, `8 Offset,${FILE_SIMPLE},P FileKey,4 IoSize,4 IoFlags`],
  [FILE, [69, 70, 71, 74, 75], 2, `${FILE_SIMPLE},P FileKey,P ExtraInfo,4 InfoClass`],
  [FILE, [72, 77], 2, `${FILE_SIMPLE},P FileKey,4 Length,4 InfoClass,4 FileIndex,W FileName`],
  [FILE, [76], 2, 'P IrpPtr,P ExtraInfo,4 NtStatus'],
  [TCP, [10, 11, 12, 13, 14, 15], 0, 'I daddr,I saddr,2 dport,2 sport,4 size,4 PID'],
  [TCP, [10], 1, `${TCP_V1},4 startime,4 endtime,P connid,4 seqnum`],
  [TCP, [11, 13, 14, 16, 18], 1, `${TCP_V1},P connid,4 seqnum`],
  [TCP, [12, 15], 1, `${TCP_V1},${TCP_OPTIONS},P connid,4 seqnum`],
  [TCP, [10], 2, `${TCP_V1},4 startime,4 endtime,4 seqnum,P connid`],
  [TCP, [12, 15], 2, `${TCP_V1},${TCP_OPTIONS},4 seqnum,P connid`],
  [UDP, [10, 11], 0, 'P context,I saddr,2 sport,2 size,I daddr,2 dport,2 dsize'],
  [UDP, [10, 11], 1, TCP_V1],
  [UDP, [10, 11], 2, `${TCP_V1},4 seqnum,P connid`],
  [
    REGISTRY,
    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21],
    0,
    'P Status,P KeyHandle,8 ElapsedTime,W KeyName',
  ],
  [
    REGISTRY,
    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22],
    1,
    'P Status,P KeyHandle,8 ElapsedTime,4 Index,W KeyName',
  ],
  [REGISTRY, [10, 11, 16, 22, 23, 24, 25, 27], 2, '8 InitialTime,4 Status,4 Index,P KeyHandle,W KeyName'],
  [FAULT, [10, 11, 12, 13, 14], 0, 'P VirtualAddress,P ProgramCounter'],
  [FAULT, [32], 2, '8 InitialTime,8 ReadOffset,P VirtualAddress,P FileKey,4 ThreadID,4 ByteCount'],
  [PERF, [46], 1, 'P InstructionPointer,4 ThreadID,2 Count'],
  [PERF, [67], 1, '8 InitialTime,P Routine,4 ReturnValue'],
  [PERF, [68, 69], 1, '8 InitialTime,P Routine'],
  [
    CONFIG,
    [10],
    0,
    '4 MHz,4 NumberOfProcessors,4 MemSize,4 PageSize,4 AllocationGranularity,512 ComputerName,264 DomainName,P HyperThreadingFlag',
  ],
  [
    CONFIG,
    [10],
    1,
    '4 MHz,4 NumberOfProcessors,4 MemSize,4 PageSize,4 AllocationGranularity,512 ComputerName,264 DomainName,P HyperThreadingFlag',
  ],
  [
    CONFIG,
    [10],
    2,
    '4 MHz,4 NumberOfProcessors,4 MemSize,4 PageSize,4 AllocationGranularity,512 ComputerName,268 DomainName,P HyperThreadingFlag',
  ],
  [
    CONFIG,
    [11],
    0,
    '4 DiskNumber,4 BytesPerSector,4 SectorsPerTrack,4 TracksPerCylinder,8 Cylinders,4 SCSIPort,4 SCSIPath,4 SCSITarget,4 SCSILun,512 Manufacturer,4 PartitionCount,1 WriteCacheEnabled,1 -,6 BootDriveLetter,4 Spare',
  ],
  [
    CONFIG,
    [14],
    0,
    '4 MemorySize,4 XResolution,4 YResolution,4 BitsPerPixel,4 VRefresh,512 ChipType,512 DACType,512 AdapterString,512 BiosString,512 DeviceID,4 StateFlags',
  ],
  [CONFIG, [15], 0, '68 ServiceName,512 DisplayName,68 ProcessName,4 ProcessID'],
  [CONFIG, [15], 2, '4 ProcessID,4 ServiceState,4 SubProcessTag,W ServiceName,W DisplayName,W ProcessName'],
  [CONFIG, [16], 0, '1 S1,1 S2,1 S3,1 S4,1 S5,1 -,1 -,1 -'],
];

const SID = [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];

interface Property {
  readonly name: string;
  readonly size: string;
  readonly bytes: readonly number[];
}

/** A payload whose numbers are all different. */
function propertiesOf(text: string, pointerSize: 4 | 8): Property[] {
  let next = 1;
  return text.split(',').map((property, index) => {
    const [size = '', name = ''] = property.split(' ');
    const number = (count: number) => Array.from({ length: count }, (_, i) => (i === 0 ? next++ : 0));
    const bytes: Record<string, () => number[]> = {
      P: () => number(pointerSize),
      I: () => [10, 0, 0, next++],
      W: () => utf16(`w${index}\0`),
      A: () => [...Buffer.from(`a${index}\0`)],
      S: () => [...number(2 * pointerSize), ...SID],
    };
    return { name, size, bytes: bytes[size]?.() ?? number(Number(size)) };
  });
}

function shownValue({ name, size, bytes }: Property, index: number): unknown {
  if (size === 'W') return `w${index}`;
  if (size === 'A') return `a${index}`;
  if (size === 'S') return 'S-1-5-18';
  if (size === 'I') return bytes.join('.');
  if (bytes.length > 8 || name === 'BootDriveLetter' || name === 'Spare')
    return String.fromCharCode(bytes[0] ?? 0);
  const value = name.endsWith('port') ? (bytes[0] ?? 0) << 8 : bytes[0];
  return bytes.length === 8 ? BigInt(value ?? 0) : value;
}

describe.each(CLASSES)('group %i, opcodes %j, version %i', (group, opcodes, version, text) => {
  it.each([4, 8] as const)(
    'has its properties, and no byte more, with pointers of %i bytes',
    (pointerSize) => {
      const properties = propertiesOf(text, pointerSize);
      const payload = Uint8Array.from(properties.flatMap(({ bytes }) => bytes));
      const expected = properties.flatMap((property, index) =>
        property.name === '-' ? [] : [[property.name, shownValue(property, index)]],
      );
      for (const opcode of opcodes) {
        const fields = kernelEvent(group, opcode, version)?.fields ?? [];
        const decoded = decodePacked(fields, payload, pointerSize, 'Rest');
        expect([opcode, Object.entries(decoded.payload), decoded.problem]).toEqual([
          opcode,
          expected,
          undefined,
        ]);
      }
    },
  );
});
