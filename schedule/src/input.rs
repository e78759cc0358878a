//! Inputs that the environment gives a program, by the names that SV-COMP's programs ask for them with
//! (`__VERIFIER_nondet_int` and the like): what the type of each is, and which values of it are explored.
//!
//! The values are a list that a person may choose (`--inputs`), taken for each type as far as it has them. The runner
//! and the server read the same list, so what a choice `i3` means is one table.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What is explored where nobody says otherwise.
pub const DEFAULT: &str = "0,1,-1,min,max";

/// Most values that one input can have: one bit of a mask each.
pub const MOST: usize = 64;

/// The type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// A signed integer of so many bits.
    Signed(u32),
    /// An unsigned one, or an address.
    Unsigned(u32),
    /// `float`
    Float,
    /// `double`
    Double,
}

/// One function that gives an input.
#[derive(Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    of: Type,
    /// What its type's bounds are called.
    bounds: (&'static str, &'static str),
}

const fn input(name: &'static str, of: Type, min: &'static str, max: &'static str) -> Input {
    Input { name, of, bounds: (min, max) }
}

/// Every function that gives an input. An event's object is its number here, from 1.
pub static INPUTS: [Input; 24] = [
    input("__VERIFIER_nondet_int", Type::Signed(32), "INT_MIN", "INT_MAX"),
    input("__VERIFIER_nondet_uint", Type::Unsigned(32), "0", "UINT_MAX"),
    input("__VERIFIER_nondet_unsigned", Type::Unsigned(32), "0", "UINT_MAX"),
    input("__VERIFIER_nondet_bool", Type::Unsigned(1), "0", "1"),
    input("__VERIFIER_nondet_char", Type::Signed(8), "CHAR_MIN", "CHAR_MAX"),
    input("__VERIFIER_nondet_uchar", Type::Unsigned(8), "0", "UCHAR_MAX"),
    input("__VERIFIER_nondet_short", Type::Signed(16), "SHRT_MIN", "SHRT_MAX"),
    input("__VERIFIER_nondet_ushort", Type::Unsigned(16), "0", "USHRT_MAX"),
    input("__VERIFIER_nondet_long", Type::Signed(64), "LONG_MIN", "LONG_MAX"),
    input("__VERIFIER_nondet_ulong", Type::Unsigned(64), "0", "ULONG_MAX"),
    input("__VERIFIER_nondet_longlong", Type::Signed(64), "LLONG_MIN", "LLONG_MAX"),
    input("__VERIFIER_nondet_ulonglong", Type::Unsigned(64), "0", "ULLONG_MAX"),
    input("__VERIFIER_nondet_size_t", Type::Unsigned(64), "0", "SIZE_MAX"),
    input("__VERIFIER_nondet_loff_t", Type::Signed(64), "LLONG_MIN", "LLONG_MAX"),
    input("__VERIFIER_nondet_sector_t", Type::Unsigned(64), "0", "ULONG_MAX"),
    input("__VERIFIER_nondet_pthread_t", Type::Unsigned(64), "0", "ULONG_MAX"),
    input("__VERIFIER_nondet_u8", Type::Unsigned(8), "0", "UINT8_MAX"),
    input("__VERIFIER_nondet_u16", Type::Unsigned(16), "0", "UINT16_MAX"),
    input("__VERIFIER_nondet_u32", Type::Unsigned(32), "0", "UINT32_MAX"),
    input("__VERIFIER_nondet_pointer", Type::Unsigned(64), "NULL", "UINTPTR_MAX"),
    input("__VERIFIER_nondet_pchar", Type::Unsigned(64), "NULL", "UINTPTR_MAX"),
    input("__VERIFIER_nondet_charp", Type::Unsigned(64), "NULL", "UINTPTR_MAX"),
    input("__VERIFIER_nondet_float", Type::Float, "-FLT_MAX", "FLT_MAX"),
    input("__VERIFIER_nondet_double", Type::Double, "-DBL_MAX", "DBL_MAX"),
];

/// Whose random numbers are inputs where they lie below a small number, if somebody asks for that (`--random-choices`). An
/// event's object is the number of its source: these follow those of [`INPUTS`].
pub static RANDOM: [&str; 5] = [ARC4RANDOM, "tokio::select!", "fastrand", "rand", "futures::select!"];

/// The source that C programs call.
pub const ARC4RANDOM: &str = "arc4random_uniform";

/// The greatest number below which random numbers are inputs: seven branches more at each of them.
pub const SMALL: u64 = 8;

/// The number of the source with this name; 0 where there is none.
pub const fn random_number(name: &str) -> u64 {
    let mut i = 0;
    while i < RANDOM.len() {
        if is_same(RANDOM[i].as_bytes(), name.as_bytes()) {
            return (INPUTS.len() + 1 + i) as u64;
        }
        i += 1;
    }
    0
}

/// The name of the function, or of the source of random numbers, with this number.
pub fn name(number: u64) -> Option<&'static str> {
    let of_random = || number.checked_sub(INPUTS.len() as u64 + 1);
    Input::numbered(number).map(|input| input.name).or_else(|| RANDOM.get(of_random()? as usize).copied())
}

/// The numbers of all sources fit into the mask of those that a program has asked for.
const _: () = assert!(INPUTS.len() + RANDOM.len() < u32::BITS as usize);

/// One value of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Whole(i128),
    Real(f64),
    Min,
    Max,
}

/// The values of a list, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(Vec<Value>);

impl Values {
    /// Reads a list: whole numbers (`-1`, `0x10`), numbers with a point (for floating-point types only), `min` and `max`
    /// (the type's bounds) and ranges (`0..4`: 0, 1, 2, 3 and 4), with commas between them.
    pub fn parse(text: &str) -> Result<Values, String> {
        const WHAT: &str = "expected values such as 0,1,-1,0x10,2.5,min,max or ranges such as 0..4";
        let mut values = Vec::new();
        for word in text.split(',').map(str::trim) {
            match word {
                "min" => values.push(Value::Min),
                "max" => values.push(Value::Max),
                _ => match word.split_once("..") {
                    Some((from, to)) => {
                        let (from, to) = (whole(from).ok_or(WHAT)?, whole(to).ok_or(WHAT)?);
                        if from > to {
                            return Err(format!("the range {word} has no values"));
                        }
                        if to - from >= MOST as i128 {
                            return Err(too_many());
                        }
                        values.extend((from..=to).map(Value::Whole));
                    }
                    None => values.push(match whole(word) {
                        Some(n) => Value::Whole(n),
                        None => Value::Real(real(word).ok_or(WHAT)?),
                    }),
                },
            }
        }
        if values.len() > MOST { Err(too_many()) } else { Ok(Values(values)) }
    }
}

fn too_many() -> String {
    format!("an input can have at most {MOST} values")
}

fn whole(text: &str) -> Option<i128> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let n = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with('+') => i128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None => digits.parse().ok()?,
    };
    Some(if negative { -n } else { n })
}

fn real(text: &str) -> Option<f64> {
    text.contains('.').then(|| text.parse().ok()).flatten().filter(|n: &f64| n.is_finite())
}

/// The number of the function with this name; 0 where there is none.
pub const fn number(name: &str) -> u64 {
    let mut i = 0;
    while i < INPUTS.len() {
        if is_same(INPUTS[i].name.as_bytes(), name.as_bytes()) {
            return i as u64 + 1;
        }
        i += 1;
    }
    0
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

impl Input {
    /// The one with this number, as events have it.
    pub fn numbered(number: u64) -> Option<&'static Input> {
        INPUTS.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<&'static Input> {
        INPUTS.iter().find(|input| input.name == name)
    }

    /// The values of the list that its type has, each once: as they lie in a register (signed ones extended to 64 bits).
    pub fn values(&self, list: &Values) -> Vec<u64> {
        let mut values = Vec::new();
        for value in list.0.iter().filter_map(|v| self.bits(*v)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// Does the list have every value of its type?
    pub fn has_every_value(&self, list: &Values) -> bool {
        let (min, max) = self.range();
        min < max && self.values(list).len() as i128 == max - min + 1
    }

    fn bits(&self, value: Value) -> Option<u64> {
        let (min, max) = self.range();
        let whole = match value {
            Value::Whole(n) => Some(n),
            _ => None,
        };
        Some(match self.of {
            Type::Signed(_) | Type::Unsigned(_) => match value {
                Value::Min => min as u64,
                Value::Max => max as u64,
                _ => whole.filter(|n| (min..=max).contains(n))? as u64,
            },
            Type::Float => u64::from(
                match value {
                    Value::Min => f32::MIN,
                    Value::Max => f32::MAX,
                    Value::Real(n) => n as f32,
                    Value::Whole(n) => n as f32,
                }
                .to_bits(),
            ),
            Type::Double => match value {
                Value::Min => f64::MIN,
                Value::Max => f64::MAX,
                Value::Real(n) => n,
                Value::Whole(n) => n as f64,
            }
            .to_bits(),
        })
    }

    /// The least and the greatest integer of its type.
    fn range(&self) -> (i128, i128) {
        match self.of {
            Type::Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Type::Unsigned(bits) => (0, (1 << bits) - 1),
            Type::Float | Type::Double => (0, 0),
        }
    }

    /// A value as people write it.
    pub fn show(&self, bits: u64) -> String {
        let (min, max) = (self.bits(Value::Min), self.bits(Value::Max));
        if Some(bits) == min {
            return self.bounds.0.to_string();
        }
        if Some(bits) == max {
            return self.bounds.1.to_string();
        }
        match self.of {
            Type::Signed(_) => (bits as i64).to_string(),
            Type::Unsigned(_) => bits.to_string(),
            Type::Float => f32::from_bits(bits as u32).to_string(),
            Type::Double => f64::from_bits(bits).to_string(),
        }
    }

    /// The values that are explored: `0, 1, -1, INT_MIN, INT_MAX of __VERIFIER_nondet_int`.
    pub fn told(&self, list: &Values) -> String {
        let values: Vec<String> = self.values(list).into_iter().map(|v| self.show(v)).collect();
        format!("{} of {}", values.join(", "), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, list: &str) -> String {
        let list = Values::parse(list).unwrap();
        Input::named(name).unwrap().told(&list)
    }

    #[test]
    fn the_default_is_what_each_type_has_of_it() {
        let all: Vec<String> = INPUTS.iter().map(|i| i.told(&Values::parse(DEFAULT).unwrap())).collect();
        assert_eq!(all[0], "0, 1, -1, INT_MIN, INT_MAX of __VERIFIER_nondet_int");
        assert_eq!(all[1], "0, 1, UINT_MAX of __VERIFIER_nondet_uint");
        assert_eq!(shown("__VERIFIER_nondet_bool", DEFAULT), "0, 1 of __VERIFIER_nondet_bool");
        assert_eq!(
            shown("__VERIFIER_nondet_pointer", DEFAULT),
            "NULL, 1, UINTPTR_MAX of __VERIFIER_nondet_pointer"
        );
        let double = "0, 1, -1, -DBL_MAX, DBL_MAX of __VERIFIER_nondet_double";
        assert_eq!(shown("__VERIFIER_nondet_double", DEFAULT), double);
    }

    #[test]
    fn sources_of_random_numbers_have_numbers_of_their_own() {
        for source in RANDOM {
            assert_eq!(name(random_number(source)), Some(source));
            assert_eq!(Input::numbered(random_number(source)), None);
        }
        assert_eq!(
            (random_number("x"), name(0), name(INPUTS.len() as u64)),
            (0, None, Some(INPUTS[23].name))
        );
    }

    #[test]
    fn a_list_says_what_it_says() {
        let int = "__VERIFIER_nondet_int";
        assert_eq!(shown(int, "3, 5..7,0x10,-2,6"), format!("3, 5, 6, 7, 16, -2 of {int}"));
        // What a type does not have is no value of it.
        assert_eq!(shown(int, "2147483648,1.5,4"), format!("4 of {int}"));
        assert_eq!(shown("__VERIFIER_nondet_uchar", "-1,255,256"), "UCHAR_MAX of __VERIFIER_nondet_uchar");
        assert_eq!(shown("__VERIFIER_nondet_float", "1.5,2"), "1.5, 2 of __VERIFIER_nondet_float");
        assert_eq!(shown("__VERIFIER_nondet_ushort", "-3"), " of __VERIFIER_nondet_ushort");
        for bad in ["", "a", "1,", "4..1", "0..64", "1..x", "inf", "+1", "0x+1", "--1", "1e400."] {
            assert!(Values::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_lie_in_registers_as_c_returns_them() {
        let bits = |name: &str, list: &str| Input::named(name).unwrap().values(&Values::parse(list).unwrap());
        assert_eq!(bits("__VERIFIER_nondet_int", "min,-1"), [i32::MIN as i64 as u64, u64::MAX]);
        assert_eq!(bits("__VERIFIER_nondet_ulong", "max"), [u64::MAX]);
        assert_eq!(bits("__VERIFIER_nondet_float", "1"), [u64::from(1f32.to_bits())]);
    }
}
