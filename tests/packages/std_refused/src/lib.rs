//! What std does that no model controls: it waits for what is outside of the program. All tests but the last end with an
//! error that names the libc function.

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, pipe};
    use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
    use std::process::Command;

    #[test]
    fn spawns_a_process() {
        let _ = Command::new("true").status();
    }

    #[test]
    fn accepts() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _ = listener.accept();
    }

    #[test]
    fn connects() {
        let _ = TcpStream::connect("192.0.2.1:9");
    }

    #[test]
    fn receives() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let _ = socket.recv_from(&mut [0]);
    }

    #[test]
    fn resolves() {
        let _ = "localhost:0".to_socket_addrs();
    }

    #[test]
    fn locks_a_file() {
        let _ = File::open("Cargo.toml").unwrap().lock();
    }

    #[test]
    fn reads_an_empty_pipe() {
        let (mut reader, _writer) = pipe().unwrap();
        let _ = reader.read(&mut [0]);
    }

    #[test]
    fn reads_standard_input() {
        assert_eq!(std::io::stdin().read_line(&mut String::new()).unwrap(), 0);
    }
}
