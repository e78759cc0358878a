//! Where executions wait that the memory limit left no room for: a file in the cache folder that
//! has no name any more, so that it is gone with the process however that ends.

use crate::cache::Cache;
use raddle_engine::tree::Spill;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that what waits may take, where nobody says otherwise: a quarter of the machine's memory,
/// or of what this process may have of it, and 2 GiB at most.
pub fn default_limit() -> u64 {
    const MOST: u64 = 2 << 30;
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
    let machine = kib.and_then(|n| n.trim().parse::<u64>().ok()).map(|n| n << 10);
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").unwrap_or_default();
    let all = machine.into_iter().chain(group.trim().parse().ok()).min();
    all.map_or(MOST, |all| (all / 4).min(MOST))
}

/// Blocks in one file.
#[derive(Default)]
pub struct Store {
    /// Made with the first block.
    file: Option<File>,
    /// What is free before the end: length by place, neighbours put together.
    free: BTreeMap<u64, u64>,
    end: u64,
}

impl Store {
    fn file(&mut self) -> Result<&File, String> {
        if self.file.is_none() {
            let made = Cache::locate().and_then(|cache| cache.unnamed());
            let file = made.map_err(|e| format!("{}{}", e.what, cause(&e.cause)))?;
            return Ok(self.file.insert(file));
        }
        self.file.as_ref().ok_or_else(|| "there is no file".to_string())
    }

    /// The first free place of this length, or the end.
    fn place(&mut self, length: u64) -> u64 {
        let fitting = self.free.iter().find(|(_, free)| **free >= length).map(|(at, free)| (*at, *free));
        match fitting {
            Some((at, free)) => {
                self.free.remove(&at);
                if free > length {
                    self.free.insert(at + length, free - length);
                }
                at
            }
            None => {
                self.end += length;
                self.end - length
            }
        }
    }
}

fn cause(cause: &Option<String>) -> String {
    cause.as_ref().map(|c| format!(" ({c})")).unwrap_or_default()
}

fn failed(doing: &str, e: &io::Error) -> String {
    format!(
        "cannot {doing} what waits in the cache folder ({e}); a higher --memory, or another RADDLE_CACHE, may help"
    )
}

impl Spill for Store {
    fn write(&mut self, block: &[u8]) -> Result<u64, String> {
        let at = self.place(block.len() as u64);
        self.file()?.write_all_at(block, at).map_err(|e| failed("write", &e))?;
        Ok(at)
    }

    fn read(&mut self, number: u64, block: &mut [u8]) -> Result<(), String> {
        self.file()?.read_exact_at(block, number).map_err(|e| failed("read", &e))
    }

    fn give_up(&mut self, mut at: u64, length: usize) {
        let mut length = length as u64;
        if let Some(behind) = self.free.remove(&(at + length)) {
            length += behind;
        }
        if let Some((before, free)) = self.free.range(..at).next_back().map(|(b, f)| (*b, *f))
            && before + free == at
        {
            self.free.remove(&before);
            (at, length) = (before, length + free);
        }
        if at + length < self.end {
            self.free.insert(at, length);
            return;
        }
        self.end = at;
        // Room that is given back late is no mistake.
        if let Some(file) = &self.file {
            let _ = file.set_len(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_and_their_room_is_used_again() {
        let mut store = Store { file: Some(tempfile::tempfile().unwrap()), ..Store::default() };
        let text = |n: u8, length: usize| vec![n; length];
        let at: Vec<u64> = (0..4).map(|n| store.write(&text(n, 100)).unwrap()).collect();
        assert_eq!(at, [0, 100, 200, 300]);
        store.give_up(100, 100);
        store.give_up(0, 100);
        // The two are one room now.
        assert_eq!(store.write(&text(7, 150)).unwrap(), 0);
        assert_eq!(store.write(&text(8, 60)).unwrap(), 400);
        assert_eq!(store.write(&text(9, 50)).unwrap(), 150);
        let mut block = text(0, 100);
        store.read(200, &mut block).unwrap();
        assert_eq!(block, text(2, 100));
        for (at, length) in [(150, 50), (300, 100), (400, 60), (200, 100)] {
            store.give_up(at, length);
        }
        assert_eq!((store.end, store.free.len()), (150, 0));
        assert_eq!(store.file.as_ref().unwrap().metadata().unwrap().len(), 150);
    }

    #[test]
    fn a_disk_that_refuses_is_named_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let file = File::open(folder.path().join("file")).unwrap();
        let mut store = Store { file: Some(file), ..Store::default() };
        let said = store.write(b"text").unwrap_err();
        assert!(said.contains("cannot write") && said.contains("--memory"), "{said}");
        let said = store.read(0, &mut [0]).unwrap_err();
        assert!(said.contains("cannot read"), "{said}");
    }
}
