//! What leaves the process.

use tokio::net::TcpStream;
use tokio::process::Command;

#[tokio::test]
async fn a_client_of_others() {
    TcpStream::connect("10.0.0.1:80").await.unwrap();
}

#[tokio::test]
async fn a_command() {
    Command::new("true").status().await.unwrap();
}
