/**
 * The kernel's events of the network and of local procedure calls.
 *
 * Sources: Microsoft's documentation of the MOF classes TcpIp, UdpIp, ALPC; the classes that Windows itself
 * registers under MSNT_SystemTrace. Names of events and fields are PerfView's.
 */
import type { KernelTable } from './kernel-table.ts';

const provider = 'Windows Kernel';

const V4 = 'PID uint32, size uint32, daddr ipv4, saddr ipv4, dport port, sport port';
const V6 = 'PID uint32, size uint32, daddr ipv6, saddr ipv6, dport port, sport port';
const OPTIONS = `mss uint16, sackopt uint16, tsopt uint16, wsopt uint16, rcvwin uint32, rcvwinscale int16,
  sndwinscale int16`;

export const KERNEL_TCP_IP: KernelTable = {
  provider,
  guid: '9a280ac0-c8e0-11d1-84e2-00c04fb998a2',
  group: 0x06,
  entries: `
TcpIp v0 Send=10 Recv=11 Connect=12 Disconnect=13 Retransmit=14 Accept=15: daddr ipv4, saddr ipv4, dport port,
  sport port, size uint32, PID uint32
TcpIp v1 Send=10: ${V4}, startime uint32, endtime uint32, connid pointer, seqnum uint32
TcpIp v1 Recv=11 Disconnect=13 Retransmit=14 Reconnect=16 TCPCopy=18 ARPCopy=19 FullACK=20 PartACK=21
  DupACK=22: ${V4}, connid pointer, seqnum uint32
TcpIp v1 Connect=12 Accept=15: ${V4}, ${OPTIONS}, connid pointer, seqnum uint32
TcpIp v1 Fail=17: Proto uint32
TcpIp v2 Send=10: ${V4}, startime uint32, endtime uint32, seqnum uint32, connid pointer
TcpIp v2 Recv=11 Disconnect=13 Retransmit=14 Reconnect=16 TCPCopy=18 ARPCopy=19 FullACK=20 PartACK=21
  DupACK=22: ${V4}, seqnum uint32, connid pointer
TcpIp v2 Connect=12 Accept=15: ${V4}, ${OPTIONS}, seqnum uint32, connid pointer
TcpIp v2 Fail=17: Proto uint16, FailureCode uint16
TcpIp v2 SendIPV6=26: ${V6}, startime uint32, endtime uint32, seqnum uint32, connid pointer
TcpIp v2 RecvIPV6=27 DisconnectIPV6=29 RetransmitIPV6=30 ReconnectIPV6=32 TCPCopyIPV6=34: ${V6},
  seqnum uint32, connid pointer
TcpIp v2 ConnectIPV6=28 AcceptIPV6=31: ${V6}, ${OPTIONS}, seqnum uint32, connid pointer
`,
};

export const KERNEL_UDP_IP: KernelTable = {
  provider,
  guid: 'bf3a50c5-a9c9-4988-a005-2df0b7c80f80',
  group: 0x08,
  entries: `
UdpIp v0 Send=10 Recv=11: context pointer, saddr ipv4, sport port, size uint16, daddr ipv4, dport port,
  dsize uint16
UdpIp v1 Send=10 Recv=11: ${V4}
UdpIp v2 Send=10 Recv=11: ${V4}, seqnum uint32, connid pointer
UdpIp v2 Fail=17: Proto uint16, FailureCode uint16
UdpIp v2 SendIPV6=26 RecvIPV6=27: ${V6}, seqnum uint32, connid pointer
`,
};

export const KERNEL_ALPC: KernelTable = {
  provider,
  guid: '45d8cccd-539f-4b72-a8b7-5c683142609a',
  group: 0x1a,
  entries: `
ALPC v0 SendMessage=33 ReceiveMessage=34 WaitForReply=35: MessageID uint32
ALPC v0 WaitForNewMessage=36: IsServerPort bool32, PortName utf16
ALPC v0 Unwait=37: Status hex32
`,
};
