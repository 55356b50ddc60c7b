// How a program started by `tracewright record` talks to it through the recorder's socket: a line,
// answered by a byte. The kernel does not announce new tracepoints, and a recorder that polled for
// them would miss their first events.
#include "linux/recorder_notice.h"

#include <poll.h>

#include <cerrno>
#include <chrono>

#include "linux/recorder_ring.h"
#include "linux/unix_socket.h"
#include "recorder.h"

namespace tracewright {
namespace {

using linux_perf::Descriptor;
using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Waits for the answer to the line. `received` is the descriptor that came with it, or -1.
int Ask(const std::string& address, const std::string& line, milliseconds wait, int* received) {
  auto end = steady_clock::now() + wait;
  int fd = unix_socket::Connect(address);
  if (fd < 0) return -fd;
  Descriptor connection(fd);
  // A line fits into any socket's buffer.
  ptrdiff_t size = unix_socket::Send(fd, line.data(), line.size());
  while (size >= 0) {
    auto left = ceil<milliseconds>(end - steady_clock::now());
    if (left <= milliseconds(0)) return ETIMEDOUT;
    pollfd wanted{fd, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(left.count())) <= 0) continue;
    size = unix_socket::ReceiveDescriptor(fd, received);
    if (size > 0) return 0;
    if (size == 0) return ECONNRESET;
    if (size == -EAGAIN) size = 0;
  }
  return static_cast<int>(-size);
}

}  // namespace

int AwaitRecorder(const std::string& address, const std::string& tracepoint, int wait) {
  int received = -1;
  int error = Ask(address, tracepoint + '\n', milliseconds(wait), &received);
  Descriptor unwanted(received);
  return error;
}

int TracerOfRecorder(const std::string& address, int wait) {
  int received = -1;
  int error = Ask(address, "\n", milliseconds(wait), &received);
  if (error != 0) return -error;
  return received < 0 ? -EACCES : received;
}

}  // namespace tracewright
