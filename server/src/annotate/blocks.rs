//! What an address points to: a variable, a function, a block of the heap by where it was allocated.

use super::owned;
use super::places::Places;
use super::short_names::ShortNames;
use crate::symbols::Symbols;
use crate::target::Place;
use raddle_schedule::Trace;
use raddle_schedule::memory::Block;
use std::cell::OnceCell;

/// The blocks of one execution.
pub struct Blocks<'a> {
    symbols: &'a Symbols,
    places: &'a Places<'a>,
    blocks: &'a [Block],
    /// Where each was allocated, once one is asked for.
    origins: OnceCell<Vec<Option<Place>>>,
}

impl<'a> Blocks<'a> {
    /// Of an execution.
    pub fn new(trace: &'a Trace, places: &'a Places<'a>) -> Self {
        let symbols = places.symbols;
        Blocks { symbols, places, blocks: &trace.memory.blocks, origins: OnceCell::new() }
    }

    /// What lies at an address at the time of an event, where something of so many bytes is meant (0: any).
    pub fn pointer(&self, address: u64, size: u64, event: usize) -> Option<String> {
        if address == 0 {
            return Some("null".to_string());
        }
        let variable = || self.symbols.variable(address, size).map(|name| format!("&{name}"));
        let function = || self.symbols.function(address);
        let found = function().or_else(variable).or_else(|| self.block(address, event));
        Some(found.unwrap_or_else(|| format!("{address:#x}")))
    }

    /// The block around an address, as it was allocated last before an event.
    fn around(&self, address: u64, event: usize) -> Option<usize> {
        let holds = |b: &Block| b.address <= address && address < b.address + b.size.max(1);
        self.blocks.iter().rposition(|b| b.event as usize <= event && holds(b))
    }

    /// Does an address lie in a block?
    pub fn holds(&self, address: u64, event: usize) -> bool {
        self.around(address, event).is_some()
    }

    /// The block that an address is in.
    pub fn whole(&self, address: u64, event: usize) -> Option<String> {
        self.inside(address, event).map(|(name, _)| name)
    }

    /// The same, and how far in.
    pub fn inside(&self, address: u64, event: usize) -> Option<(String, u64)> {
        let number = self.around(address, event)?;
        Some((self.of_number(number)?, address - self.blocks[number].address))
    }

    /// The same of a block that an `Arc` lies in, by what that becomes where it is made.
    pub fn inside_arc(&self, address: u64, event: usize) -> Option<(String, u64)> {
        self.inside_counted(address, event, owned::name)
    }

    /// The same of a block that has the counts of a `shared_ptr`.
    pub fn inside_shared_ptr(&self, address: u64, event: usize) -> Option<(String, u64)> {
        self.inside_counted(address, event, owned::name_in_cpp)
    }

    fn inside_counted(
        &self,
        address: u64,
        event: usize,
        name: fn(&str, u32) -> Option<String>,
    ) -> Option<(String, u64)> {
        let number = self.around(address, event)?;
        let block = &self.blocks[number];
        let named = || {
            let spot = self.places.stack_spot(&block.frames)?;
            let text = self.places.sources.text(&spot.file);
            name(text.lines().nth(spot.line.checked_sub(1)? as usize)?, spot.column)
        };
        Some((named().or_else(|| self.of_number(number))?, address - block.address))
    }

    fn block(&self, address: u64, event: usize) -> Option<String> {
        Some(match self.inside(address, event)? {
            (name, 0) => name,
            (name, offset) => format!("byte {offset} of {name}"),
        })
    }

    fn of_number(&self, number: usize) -> Option<String> {
        let place = self.origin(number)?;
        let block = &self.blocks[number];
        let of_place =
            |p: &&Option<Place>| p.as_ref().is_some_and(|p| (&p.file, p.line) == (&place.file, place.line));
        // Long enough without its folder.
        let origins = self.origins();
        let names = ShortNames::of(origins.iter().flatten().map(|place| place.file.as_str()));
        let (file, line) = (names.name(&place.file), place.line);
        let nth = origins[..=number].iter().filter(of_place).count();
        let size = block.size;
        Some(match origins.iter().filter(of_place).count() {
            1 => format!("heap block of {size} bytes allocated at {file}:{line}"),
            _ => format!("heap block #{nth} of {file}:{line}"),
        })
    }

    /// Where the program allocated a block.
    fn origin(&self, number: usize) -> Option<&Place> {
        self.origins()[number].as_ref()
    }

    fn origins(&self) -> &[Option<Place>] {
        let origin = |b: &Block| self.places.stack(&b.frames);
        self.origins.get_or_init(|| self.blocks.iter().map(origin).collect())
    }
}
