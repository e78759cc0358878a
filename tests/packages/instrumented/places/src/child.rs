pub mod grandchild;
#[path = "../../places/src/elsewhere/hidden.rs"]
pub mod hidden;

pub fn place() -> (&'static str, u32) { (file!(), line!()) }
