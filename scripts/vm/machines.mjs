// The command line that starts each machine. The guest's stdout and stderr arrive at the process's file descriptors 3
// and 4, the kernel's console at its stdout and stderr.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

/**
 * @typedef {object} Machine
 * @property {string} image the kernel
 * @property {string} init the init script, at a path without spaces
 * @property {string} runFolder this run's folder, at a path without spaces
 * @property {readonly string[]} rw folders shared read-write
 * @property {boolean} verbose whether the kernel tells all it has to say
 */

const MEMORY_MIB = 2048;

// Takes the first CPU that no other guest has locked, or the last one if all are locked, and stays there. The lock
// belongs to the open file, so it is released with the process, however that ends
const onOneCpu = `
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  cpu=$1
  shift
  exec 7>"$lock.$cpu"
  flock -n 7 && break
done
while [ "$1" != -- ]; do shift; done
shift
exec taskset -c "$cpu" "$@"`;

/** The CPUs that this process may run on. */
function allowedCpus() {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  });
}

// The guest dies with this process
const dieWithParent = ['setpriv', '--pdeathsig', 'KILL'];

/**
 * User-mode Linux. It switches between a kernel process and a user process at every system call, which is several times
 * slower across two CPUs: its one virtual CPU is pinned to a real one.
 * @param {Machine} machine
 */
export function userModeLinux({ image, init, runFolder, verbose }) {
  const pinned = ['/bin/sh', '-c', onOneCpu, 'on-one-cpu', ...allowedCpus(), '--'];
  const kernel = [
    image,
    `mem=${MEMORY_MIB}M`,
    'ncpus=1',
    'seccomp=on',
    'rootfstype=hostfs',
    'rootflags=/',
    'ro',
    `init=${init}`,
    'con=null',
    'ssl=null',
    'ssl0=null,fd:3',
    'ssl1=null,fd:4',
    'panic=-1',
    `vm.run=${runFolder}`,
    ...(verbose ? [] : ['quiet']),
  ];
  return {
    command: [...dieWithParent, ...pinned, ...kernel],
    // The guest's memory is a file in TMPDIR, which elsewhere would be written to disk
    env: { ...process.env, TMPDIR: '/dev/shm', lock: `/dev/shm/tracewright-vm.${userInfo().uid}.cpu` },
  };
}

/**
 * The guest's time stamp counter is the host's. Given its rate, the guest does not measure it, which sometimes fails
 * under emulation and leaves it with a 10 ms clock.
 */
function timeStampCounter() {
  const bogomips = /^bogomips\s*:\s*([\d.]+)/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1];
  return bogomips ? ['tsc=reliable', `tsc_early_khz=${Math.round(Number(bogomips) * 500)}`] : [];
}

function share(tag, folder, readonly) {
  const path = folder.replaceAll(',', ',,');
  return [
    '-fsdev',
    `local,id=${tag},path=${path},security_model=none,multidevs=remap${readonly ? ',readonly=on' : ''}`,
    '-device',
    `virtio-9p-device,fsdev=${tag},mount_tag=${tag}`,
  ];
}

/**
 * QEMU, emulating: KVM guests do not start on every nested machine. It has one CPU, because a kernel that patches its own
 * code, as it does to switch a tracepoint, dies of a stray int3 with one thread per CPU.
 * @param {Machine & { initramfs: string }} machine
 */
export function qemu({ image, initramfs, runFolder, rw, verbose }) {
  const parameters = [
    'console=ttyS0',
    'reboot=t',
    'panic=-1',
    'random.trust_cpu=on',
    ...timeStampCounter(),
    ...(verbose ? [] : ['quiet']),
  ];
  const options = {
    M: 'microvm,acpi=off,x-option-roms=off,rtc=on',
    accel: 'tcg',
    cpu: 'max',
    smp: '1',
    m: String(MEMORY_MIB),
    display: 'none',
    kernel: image,
    initrd: initramfs,
    append: parameters.join(' '),
    serial: 'stdio',
  };
  return {
    command: [
      ...dieWithParent,
      'qemu-system-x86_64',
      ...Object.entries(options).flatMap(([name, value]) => [`-${name}`, value]),
      ...['-nodefaults', '-no-user-config', '-no-reboot'],
      ...['-device', 'virtio-rng-device', '-device', 'virtio-serial-device'],
      ...['-chardev', 'socket,id=stdout,fd=3', '-device', 'virtserialport,chardev=stdout,name=stdout'],
      ...['-chardev', 'socket,id=stderr,fd=4', '-device', 'virtserialport,chardev=stderr,name=stderr'],
      ...share('root', '/', true),
      ...share('run', runFolder, false),
      ...rw.flatMap((folder, index) => share(`rw${index}`, folder, false)),
    ],
    env: process.env,
  };
}
