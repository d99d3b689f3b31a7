//! A local HTTP server for tests of downloads. The path of a request decides the fault of the
//! answer: `half` is cut in the middle, `busy` has status 503 at first.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The content of every file that the server sends.
pub const TEXT: &str = "0123456789abcdefghijklmnopqrstuvwxyz";

/// An HTTP server that answers until the test ends.
pub struct Server {
    /// The address: `http://127.0.0.1:PORT`.
    pub home: String,
    /// The paths that were requested.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let home = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            listener
                .incoming()
                .flatten()
                .for_each(|stream| answer(stream, &seen));
        });
        Self { home, asked }
    }

    /// Returns the URL of a path. The path decides the fault of the answer, such as `half` or
    /// `forbidden`. `whole` has no fault.
    pub fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.home)
    }

    /// Returns the paths that were requested since the last call.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(first)) = lines.next() else {
        return;
    };
    let path = first
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .trim_start_matches('/')
        .to_owned();
    // Skips the rest of the request.
    lines
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .for_each(drop);
    let times = {
        let mut asked = asked.lock().unwrap();
        asked.push(path.clone());
        asked.iter().filter(|other| **other == path).count()
    };
    let whole = || format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", TEXT.len());
    let said = match path.as_str() {
        "half" if times == 1 => whole() + &TEXT[..10],
        "always-half" => whole() + &TEXT[..10],
        "changed" if times == 1 => whole() + "ABCDEFGHIJ",
        "busy" if times < 3 => "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n".into(),
        "whole" | "half" | "changed" | "busy" => whole() + TEXT,
        "forbidden" => "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".into(),
        "endless" => format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", &TEXT[..10]),
        "chunked" => format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{TEXT}\r\n0\r\n\r\n",
            TEXT.len()
        ),
        "broken-chunk" => {
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{TEXT}\r\n", TEXT.len())
        }
        "inside" => "HTTP/1.1 302 Found\r\nLocation: /whole\r\nContent-Length: 0\r\n\r\n".into(),
        "round" => "HTTP/1.1 302 Found\r\nLocation: /round\r\nContent-Length: 0\r\n\r\n".into(),
        "outside" => {
            "HTTP/1.1 302 Found\r\nLocation: https://example.org/x\r\nContent-Length: 0\r\n\r\n".into()
        }
        moved if moved.starts_with("moved") => {
            "HTTP/1.1 301 Moved Permanently\r\nLocation: https://example.org/x\r\nContent-Length: 0\r\n\r\n"
                .into()
        }
        "downwards" => {
            "HTTP/1.1 302 Found\r\nLocation: http://github.com/x\r\nContent-Length: 0\r\n\r\n".into()
        }
        "to-a-file" => {
            "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n".into()
        }
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
    };
    // Each answer closes its connection. The client may be gone already, so a failed write is no
    // fault.
    let said = said.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    let _ = stream.write_all(said.as_bytes());
}
