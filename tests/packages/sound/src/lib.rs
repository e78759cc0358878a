//! Programs in which something tells threads of each other that is easily overlooked: see tests/tests/all/sound.rs.
