// How a program that `tracewright record` has started tells it of a new tracepoint: it sends the
// name and a newline to the recorder's socket, and waits for a byte. The kernel tells nobody of new
// tracepoints, and a recorder that looks for them would miss their first events.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "linux/recorder_ring.h"
#include "recorder.h"

namespace tracewright {
namespace {

using linux_perf::Descriptor;
using std::chrono::steady_clock;

int Connect(const std::string& address, const Descriptor& connection) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // An abstract name: the first byte of the path is 0, and its end is told by the size.
  if (address.size() + 1 > sizeof name.sun_path) return ENAMETOOLONG;
  memcpy(name.sun_path + 1, address.data(), address.size());
  size_t exact = offsetof(sockaddr_un, sun_path) + 1 + address.size();
  // Some versions of Node.js make the zeros behind it a part of the name that they listen at.
  for (size_t size : {exact, sizeof name}) {
    auto* target = reinterpret_cast<sockaddr*>(&name);
    if (connect(connection.get(), target, static_cast<socklen_t>(size)) == 0) return 0;
  }
  return errno;
}

int AwaitByte(const Descriptor& connection, steady_clock::time_point end) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now());
    if (left.count() <= 0) return ETIMEDOUT;
    pollfd wanted{connection.get(), POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(left.count())) <= 0) continue;
    char byte;
    ssize_t size = recv(connection.get(), &byte, 1, 0);
    if (size > 0) return 0;
    if (size == 0) return ECONNRESET;
    if (errno != EAGAIN && errno != EINTR) return errno;
  }
}

}  // namespace

int AwaitRecorder(const std::string& address, const std::string& tracepoint, int milliseconds) {
  auto end = steady_clock::now() + std::chrono::milliseconds(milliseconds);
  Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connection.get() < 0) return errno;
  if (int error = Connect(address, connection)) return error;
  std::string line = tracepoint + '\n';
  // A name fits into any socket's buffer.
  ssize_t sent = send(connection.get(), line.data(), line.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno;
  return AwaitByte(connection, end);
}

}  // namespace tracewright
