//! `/proc/…/maps`: which file is mapped where.

use std::path::PathBuf;

/// One line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Offset in the file.
    pub offset: u64,
    /// The file, for mappings of one.
    pub path: Option<PathBuf>,
}

/// Reads all lines that are well-formed.
pub fn parse(text: &str) -> Vec<Region> {
    text.lines().filter_map(region).collect()
}

fn region(line: &str) -> Option<Region> {
    // 555555554000-555555555000 r--p 00000000 fe:00 123   /path with blanks
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start();
        word
    };
    let (start, end) = word().split_once('-')?;
    let _access = word();
    let offset = word();
    let (_device, _inode) = (word(), word());
    let hex = |s| u64::from_str_radix(s, 16).ok();
    let path = rest.trim_end_matches(" (deleted)");
    Some(Region {
        start: hex(start)?,
        end: hex(end)?,
        offset: hex(offset)?,
        path: path.starts_with('/').then(|| PathBuf::from(path)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_shape() {
        let text = "555555554000-555555555000 r--p 00001000 fe:00 123      /tmp/a b\n\
                    7ffff7fc0000-7ffff7fc4000 r--p 00000000 00:00 0        [vvar]\n\
                    7ffff7fc4000-7ffff7fc6000 rw-p 00000000 00:00 0 \n\
                    nonsense\n";
        let regions = parse(text);
        assert_eq!(regions.len(), 3);
        assert_eq!(regions[0].path, Some("/tmp/a b".into()));
        assert_eq!((regions[0].start, regions[0].offset), (0x5555_5555_4000, 0x1000));
        assert_eq!(regions[1].path, None);
        assert_eq!(regions[2].path, None);
    }
}
