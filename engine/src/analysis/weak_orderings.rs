//! How much the assumption of sequential consistency covers up: places with an atomic operation
//! of a weaker ordering, each counted once however often it is executed.

use raddle_schedule::{Event, Order, world};

/// Places with an atomic operation weaker than SeqCst.
#[derive(Default)]
pub struct WeakOrderings {
    /// By site.
    sites: Vec<bool>,
    /// How many.
    count: u64,
}

impl WeakOrderings {
    /// How many places.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Looks at an atomic operation or a fence.
    #[inline]
    pub fn note(&mut self, event: &Event) {
        // A program names no order of objects of the process beside memory.
        if event.order() != Order::SeqCst && !world::is(event.object()) {
            self.add(event.site as usize);
        }
    }

    fn add(&mut self, site: usize) {
        // The site table of the channel is far smaller; a number beyond it would be damage.
        const MOST: usize = 1 << 24;
        if site >= self.sites.len() && site < MOST {
            self.sites.resize(site + 1, false);
        }
        if let Some(known) = self.sites.get_mut(site)
            && !*known
        {
            *known = true;
            self.count += 1;
        }
    }
}
