// See unix_socket.h.
#include "linux/unix_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace tracewright::unix_socket {
namespace {

// The same backlog as in .NET's runtime.
constexpr int kBacklog = 255;
// An error reports descriptors that did not fit; this many are received, to be closed.
constexpr size_t kMostDescriptors = 8;

bool SetName(const std::string& path, sockaddr_un* name) {
  // Including its NUL.
  if (path.empty() || path.size() + 1 > sizeof name->sun_path) return false;
  memset(name, 0, sizeof *name);
  name->sun_family = AF_UNIX;
  memcpy(name->sun_path, path.data(), path.size());
  return true;
}

int OpenSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int CloseAndFail(int fd, int error) {
  close(fd);
  return -error;
}

const sockaddr* Address(const sockaddr_un& name) {
  return reinterpret_cast<const sockaddr*>(&name);
}

// The single descriptor received with a message. Any others are closed.
int TakeDescriptor(msghdr* message) {
  int taken = -1;
  bool is_only = (message->msg_flags & MSG_CTRUNC) == 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      if (taken < 0) {
        taken = fd;
      } else {
        is_only = false;
        close(fd);
      }
    }
  }
  if (is_only || taken < 0) return taken;
  close(taken);
  return -1;
}

// The peer's credentials from when it connected or listened.
int Peer(int fd, ucred* peer) {
  socklen_t size = sizeof *peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) < 0 ? errno : 0;
}

}  // namespace

int Listen(const std::string& path) {
  sockaddr_un name;
  if (!SetName(path, &name)) return -ENAMETOOLONG;
  int fd = OpenSocket();
  if (fd < 0) return -errno;
  // Before the file exists. The umask may remove rights that the file gets back immediately.
  if (fchmod(fd, S_IRUSR | S_IWUSR) != 0 || bind(fd, Address(name), sizeof name) != 0)
    return CloseAndFail(fd, errno);
  if (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(fd, kBacklog) != 0) {
    int error = errno;
    unlink(path.c_str());
    return CloseAndFail(fd, error);
  }
  return fd;
}

int Connect(const std::string& path) {
  sockaddr_un name;
  if (!SetName(path, &name)) return -ENAMETOOLONG;
  int fd = OpenSocket();
  if (fd < 0) return -errno;
  // Unix sockets connect at once or, if too many are waiting to be accepted, not at all.
  if (connect(fd, Address(name), sizeof name) != 0) return CloseAndFail(fd, errno);
  return fd;
}

int Accept(int listener) {
  int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int Duplicate(int fd) {
  int duplicate = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return duplicate < 0 ? -errno : duplicate;
}

int ListeningProcess(int fd) {
  ucred peer{};
  int error = Peer(fd, &peer);
  return error != 0 ? -error : peer.pid;
}

ptrdiff_t ConnectedUser(int fd) {
  ucred peer{};
  int error = Peer(fd, &peer);
  return error != 0 ? -error : static_cast<ptrdiff_t>(peer.uid);
}

ptrdiff_t Receive(int fd, void* data, size_t size) {
  ssize_t received;
  do {
    received = recv(fd, data, size, MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  return received < 0 ? -errno : received;
}

ptrdiff_t Send(int fd, const void* data, size_t size) {
  ssize_t sent;
  do {
    sent = send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

ptrdiff_t ReceiveDescriptor(int fd, int* descriptor) {
  *descriptor = -1;
  char byte;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t received;
  do {
    received = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return -errno;
  *descriptor = TakeDescriptor(&message);
  return received;
}

ptrdiff_t SendDescriptor(int fd, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  ssize_t sent;
  do {
    sent = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

int EndSending(int fd) { return shutdown(fd, SHUT_WR) < 0 ? -errno : 0; }

int AwaitSendable(int fd, int timeout) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  auto deadline = steady_clock::now() + milliseconds(timeout);
  pollfd wanted{fd, POLLOUT, 0};
  int ready;
  // The signals of a CPU profiler arrive a thousand times per second.
  do {
    auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    ready = poll(&wanted, 1, left > milliseconds(0) ? static_cast<int>(left.count()) : 0);
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return -errno;
  return ready == 0 ? -ETIMEDOUT : 0;
}

}  // namespace tracewright::unix_socket
