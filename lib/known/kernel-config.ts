/**
 * The kernel's events about the machine.
 *
 * Sources: Microsoft's documentation of the MOF class SystemConfig; the classes that Windows itself registers under
 * MSNT_SystemTrace. Names of events and fields are PerfView's, which is also the source for SysConfig.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

const CPU = `MHz uint32, NumberOfProcessors uint32, MemSize uint32, PageSize uint32,
  AllocationGranularity uint32, ComputerName utf16(256)`;
const LOGICAL_DISK = `StartOffset int64, PartitionSize int64, DiskNumber uint32, Size uint32, DriveType uint32,
  DriveLetterString utf16(4), _Pad1 uint32, PartitionNumber uint32, SectorsPerCluster uint32,
  BytesPerSector uint32, _Pad2 uint32, NumberOfFreeClusters int64, TotalNumberOfClusters int64,
  FileSystem utf16(16), VolumeExt uint32`;
const SERVICE = `ProcessID uint32, ServiceState uint32, SubProcessTag uint32, ServiceName utf16,
  DisplayName utf16, ProcessName utf16`;
const DEVICE = 'DeviceID utf16, DeviceDescription utf16, FriendlyName utf16';
const DEVICE_LENGTHS = '_IDLength uint32, _DescriptionLength uint32, _FriendlyNameLength uint32';
const DEVICE_V4 = `${DEVICE}, PdoName utf16, ServiceName utf16, UpperFilters utf16[UpperFiltersCount],
  LowerFilters utf16[LowerFiltersCount]`;

export const KERNEL_SYSTEM_CONFIG: KernelTable = {
  provider,
  guid: '01853a65-418f-4f36-aefc-dc0f1d2fd235',
  group: 0x0b,
  entries: `
SystemConfig v0 CPU=10: ${CPU}, DomainName utf16(132), HyperThreadingFlag pointer
SystemConfig v2 CPU=10: ${CPU}, DomainName utf16(134), HyperThreadingFlag pointer
SystemConfig v3 CPU=10: ${CPU}, DomainName utf16(134), HyperThreadingFlag pointer, HighestUserAddress pointer,
  ProcessorArchitecture uint16, ProcessorLevel uint16, ProcessorRevision hex16, PaeEnabled uint8,
  NxEnabled uint8, MemorySpeed uint32
SystemConfig v0 PhyDisk=11: DiskNumber uint32, BytesPerSector uint32, SectorsPerTrack uint32,
  TracksPerCylinder uint32, Cylinders int64, SCSIPort uint32, SCSIPath uint32, SCSITarget uint32,
  SCSILun uint32, Manufacturer utf16(256), PartitionCount uint32, WriteCacheEnabled uint8, _Pad uint8,
  BootDriveLetter utf16(3), Spare utf16(2)
SystemConfig v0 LogDisk=12: ${LOGICAL_DISK}
SystemConfig v2 LogDisk=12: ${LOGICAL_DISK}, _Pad3 uint32
SystemConfig v0 NIC=13: NICName utf16(256), Index uint32, PhysicalAddrLen uint32, PhysicalAddr char16[8],
  Size uint32, IpAddress int32, SubnetMask int32, DhcpServer int32, Gateway int32, PrimaryWinsServer int32,
  SecondaryWinsServer int32, DnsServer1 int32, DnsServer2 int32, DnsServer3 int32, DnsServer4 int32, Data uint32
SystemConfig v2 NIC=13: PhysicalAddr hex64, PhysicalAddrLen uint32, Ipv4Index uint32, Ipv6Index uint32,
  NICDescription utf16, IpAddresses utf16, DnsServerAddresses utf16
SystemConfig v0 Video=14: MemorySize uint32, XResolution uint32, YResolution uint32, BitsPerPixel uint32,
  VRefresh uint32, ChipType utf16(256), DACType utf16(256), AdapterString utf16(256), BiosString utf16(256),
  DeviceID utf16(256), StateFlags hex32
SystemConfig v0 Services=15: ServiceName utf16(34), DisplayName utf16(256), ProcessName utf16(34),
  ProcessID uint32
SystemConfig v2 Services=15: ${SERVICE}
SystemConfig v3 Services=15: ${SERVICE}, LoadOrderGroup utf16, SvchostGroup utf16
SystemConfig v0 Power=16: S1 uint8, S2 uint8, S3 uint8, S4 uint8, S5 uint8, _Pad1 uint8, _Pad2 uint8, _Pad3 uint8
SystemConfig v2 Network=17: TcbTablePartitions uint32, MaxHashTableSize int32, MaxUserPort uint32,
  TcpTimedWaitDelay uint32
SystemConfig v2 OpticalMedia=18: DiskNumber uint16, BusType uint16, DeviceType uint16, MediaType uint16,
  StartingOffset uint64, Size uint64, NumberOfFreeBlocks uint64, TotalNumberOfBlocks uint64,
  NextWritableAddress uint64, NumberOfSessions uint32, NumberOfTracks uint32, BytesPerSector uint32,
  DiscStatus uint16, LastSessionStatus uint16, DriveLetter utf16, FileSystemName utf16, DeviceName ansi,
  ManufacturerName ansi
SystemConfig v0 IRQ=21: IRQAffinity hex64, IRQNum uint32, DeviceDescriptionLen uint32, DeviceDescription utf16
SystemConfig v3 IRQ=21: IRQAffinity hex64, IRQGroup uint16, _Reserved uint16, IRQNum uint32,
  DeviceDescriptionLen uint32, DeviceDescription utf16
SystemConfig v0 PnP=22: ${DEVICE_LENGTHS}, ${DEVICE}
SystemConfig v3 PnP=22: ${DEVICE_LENGTHS}, ${DEVICE}, PdoName utf16
SystemConfig v4 PnP=22: ClassGuid guid, UpperFiltersCount uint32, LowerFiltersCount uint32, ${DEVICE_V4}
SystemConfig v5 PnP=22: ClassGuid guid, UpperFiltersCount uint32, LowerFiltersCount uint32, DevStatus hex32,
  DevProblem uint32, ${DEVICE_V4}
SystemConfig v2 IDEChannel=23: TargetID uint32, DeviceType uint32, DeviceTimingMode uint32,
  LocationInformationLen uint32, LocationInformation utf16
SystemConfig v2 NumaNode=24: NodeCount uint32, NodeMap hex64[NodeCount]
SystemConfig v2 Platform=25: SystemManufacturer utf16, SystemProductName utf16, BiosDate utf16, BiosVersion utf16
SystemConfig v2 ProcessorGroup=26: GroupCount uint32, Affinity pointer[GroupCount]
SystemConfig v2 ProcessorNumber=27: ProcessorCount uint32, ProcessorNumber hex32[ProcessorCount]
SystemConfig v2 DPI=28: MachineDPI uint32, UserDPI uint32
SystemConfig v2 CodeIntegrity=29: CodeIntegrityInfo hex32
SystemConfig v2 TelemetryInfo=30: MachineID guid
SystemConfig v2 DeviceFamily=33: UAPInfo uint64, DeviceFamily uint32, DeviceForm uint32
SystemConfig v2 FlightIds=34: UpdateID utf16, FlightIDList utf16
SystemConfig v2 Processors=35: ProcessorIndex uint32, FeatureSet hex32, ProcessorSpeed uint32,
  ProcessorName utf16(64), VendorIdentifier utf16(16), ProcessorIdentifier utf16(128)
SystemConfig v2 Virtualization=36: VbsEnabled bool8, HvciEnabled bool8, HyperVisorEnabled bool8, _Reserved uint8
SystemConfig v2 Boot=37: BootFlags hex64, FirmwareType uint32, SecureBootEnabled bool8, SecureBootCapable bool8,
  _Reserved1 uint8, _Reserved2 uint8
`,
};

/** Whoever merges a trace writes these records, with the class's GUID. */
export const SYS_CONFIG: KernelTable = {
  provider,
  guid: '9b79ee91-b5fd-41c0-a243-4248e266e9d0',
  entries: `
SysConfig v0 BuildInfo=32: InstallDate filetime, BuildLab utf16, ProductName utf16
SysConfig v0 SystemPaths=33: SystemDirectory utf16, SystemWindowsDirectory utf16
SysConfig v0 UnknownVolume=34: Value utf16
SysConfig v0 VolumeMapping=35: NtPath utf16, DosPath utf16
`,
};
