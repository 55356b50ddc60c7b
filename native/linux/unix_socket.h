// Unix stream sockets that never block and are closed on exec. Node.js's own sockets read all
// available bytes, and thereby discard a descriptor sent with them; these read as many bytes as
// requested.
// Results: a descriptor or a number of bytes, or -errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tracewright::unix_socket {

// Listens at the path, accessible only to its owner from the first moment on.
int Listen(const std::string& path);
int Connect(const std::string& path);
int Accept(int listener);
// Another descriptor of the same socket.
int Duplicate(int fd);
// The process listening where the descriptor is connected; 0 if it is not known here.
int ListeningProcess(int fd);
// The user of the process that connected.
ptrdiff_t ConnectedUser(int fd);

ptrdiff_t Receive(int fd, void* data, size_t size);
ptrdiff_t Send(int fd, const void* data, size_t size);

// One byte, and the descriptor sent with it; -1 if there was none, or more than one.
ptrdiff_t ReceiveDescriptor(int fd, int* descriptor);
// Sends one byte and the descriptor.
ptrdiff_t SendDescriptor(int fd, int descriptor);

// The peer reads the end of the stream after what was sent.
int EndSending(int fd);
// Blocks until something can be sent, or nothing ever will be. -ETIMEDOUT after this many
// milliseconds.
int AwaitSendable(int fd, int timeout);

}  // namespace tracewright::unix_socket
