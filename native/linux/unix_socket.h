// Stream sockets of the Unix family, which never block, and are closed on exec. Node.js's own take
// whatever bytes have come, and with them throw away a descriptor that was sent along; these read
// as many as they are asked for.
//
// Results: a descriptor or a number of bytes, or -errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tracewright::unix_socket {

// Listens at the path, with rights for its owner alone from the first moment on.
int Listen(const std::string& path);
int Connect(const std::string& path);
int Accept(int listener);
// The process that listens where the descriptor is connected; 0: one that is not known here.
int ListeningProcess(int fd);
// The user of the process that has connected.
ptrdiff_t ConnectedUser(int fd);

ptrdiff_t Receive(int fd, void* data, size_t size);
ptrdiff_t Send(int fd, const void* data, size_t size);

// One byte, and the descriptor that was sent with it; -1 where there was none, or more than one.
ptrdiff_t ReceiveDescriptor(int fd, int* descriptor);
// One byte, and the descriptor with it.
ptrdiff_t SendDescriptor(int fd, int descriptor);

// The other side reads the end of the stream behind what was sent.
int EndSending(int fd);
// Blocks until something can be sent, or nothing ever will be. -ETIMEDOUT: not in these
// milliseconds.
int AwaitSendable(int fd, int timeout);

}  // namespace tracewright::unix_socket
