//! The loaded objects: where their code, their data and their thread-locals lie.

use core::ffi::{CStr, c_int, c_void};

/// One loaded object, as the dynamic linker describes it.
pub struct Module<'a> {
    info: &'a libc::dl_phdr_info,
}

impl Module<'_> {
    fn headers(&self) -> &[libc::Elf64_Phdr] {
        // SAFETY: the dynamic linker gives the object's program headers and their number.
        unsafe { core::slice::from_raw_parts(self.info.dlpi_phdr, usize::from(self.info.dlpi_phnum)) }
    }

    /// File name; empty for the executable.
    pub fn name(&self) -> &[u8] {
        if self.info.dlpi_name.is_null() {
            return b"";
        }
        // SAFETY: a string of the dynamic linker's.
        unsafe { CStr::from_ptr(self.info.dlpi_name) }.to_bytes()
    }

    fn is(&self, part: &[u8]) -> bool {
        let name = self.name();
        let file = name.rsplit(|b| *b == b'/').next().unwrap_or(name);
        file.starts_with(part)
    }

    /// libc or the dynamic linker: their calls of malloc are their own.
    pub fn is_libc(&self) -> bool {
        self.is(b"libc.so") || self.is(b"libc-") || self.is(b"ld-linux")
    }

    /// This library.
    pub fn is_runtime(&self) -> bool {
        self.is(b"libraddle_rt")
    }

    /// The unwinder (libgcc).
    pub fn is_unwinder(&self) -> bool {
        self.is(b"libgcc_s")
    }

    /// Is its state left alone by roll-back?
    pub fn keeps_its_state(&self) -> bool {
        self.is_libc() || self.is(b"libraddle_rt") || self.is(b"linux-vdso")
    }

    /// How far everything in it lies from where its file says.
    pub fn moved(&self) -> usize {
        self.info.dlpi_addr as usize
    }

    /// Is it the executable itself?
    pub fn is_executable(&self) -> bool {
        self.name().is_empty()
    }

    /// Does it say that it has code on its stacks (gcc's nested functions)? The system's loader makes them executable then.
    pub fn has_code_on_stacks(&self) -> bool {
        self.headers().iter().any(|h| h.p_type == libc::PT_GNU_STACK && h.p_flags & libc::PF_X != 0)
    }

    /// Calls back with start and end of each executable segment.
    pub fn code(&self, mut each: impl FnMut(usize, usize)) {
        for h in self.headers() {
            if h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_X != 0 {
                let start = (self.info.dlpi_addr + h.p_vaddr) as usize;
                each(start, start + h.p_memsz as usize);
            }
        }
    }

    /// Calls back with start and end of each writable range, less what is read-only after relocation.
    pub fn data(&self, mut each: impl FnMut(usize, usize)) {
        let at = |h: &libc::Elf64_Phdr| {
            let start = (self.info.dlpi_addr + h.p_vaddr) as usize;
            (start, start + h.p_memsz as usize)
        };
        let relro = self.headers().iter().find(|h| h.p_type == libc::PT_GNU_RELRO).map(at);
        for h in self.headers() {
            if h.p_type != libc::PT_LOAD || h.p_flags & libc::PF_W == 0 {
                continue;
            }
            let (mut start, end) = at(h);
            if let Some((lo, hi)) = relro
                && lo < end
                && hi > start
            {
                // Protected in whole pages, down from its end.
                start = start.max(hi & !4095);
            }
            if start < end {
                each(start, end);
            }
        }
    }

    /// Calls back with start and end of each segment that nothing writes to.
    pub fn constants(&self, mut each: impl FnMut(usize, usize)) {
        for h in self.headers() {
            if h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W == 0 {
                let start = (self.info.dlpi_addr + h.p_vaddr) as usize;
                each(start, start + h.p_memsz as usize);
            }
        }
    }

    /// Where its dynamic section lies, if it has one.
    pub fn dynamic(&self) -> Option<usize> {
        let h = self.headers().iter().find(|h| h.p_type == libc::PT_DYNAMIC)?;
        Some((self.info.dlpi_addr + h.p_vaddr) as usize)
    }

    /// Thread-locals: image, its length, whole length, and the calling thread's block.
    pub fn tls(&self) -> Option<(usize, usize, usize, usize)> {
        let h = self.headers().iter().find(|h| h.p_type == libc::PT_TLS)?;
        let image = (self.info.dlpi_addr + h.p_vaddr) as usize;
        Some((image, h.p_filesz as usize, h.p_memsz as usize, self.info.dlpi_tls_data as usize))
    }
}

/// Does nothing write to this address of a loaded object, once that is relocated (its code, its tables of virtual functions)?
pub fn is_constant(address: usize) -> bool {
    let mut is_constant = false;
    each(|m| {
        let start = |h: &libc::Elf64_Phdr| (m.info.dlpi_addr + h.p_vaddr) as usize;
        let holds = |h: &libc::Elf64_Phdr| (start(h)..start(h) + h.p_memsz as usize).contains(&address);
        if m.headers().iter().any(|h| h.p_type == libc::PT_LOAD && holds(h)) {
            is_constant = true;
            m.data(|start, end| is_constant &= !(start..end).contains(&address));
        }
    });
    is_constant
}

/// Calls back with every loaded object.
pub fn each(mut f: impl FnMut(&Module<'_>)) {
    unsafe extern "C" fn step(info: *mut libc::dl_phdr_info, _: usize, f: *mut c_void) -> c_int {
        // SAFETY: the linker's record, and the closure given below.
        let (info, f) = unsafe { (&*info, &mut *f.cast::<&mut dyn FnMut(&Module<'_>)>()) };
        f(&Module { info });
        0
    }
    let mut f: &mut dyn FnMut(&Module<'_>) = &mut f;
    // SAFETY: the callback has the right type and its argument outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(step), (&raw mut f).cast()) };
}
