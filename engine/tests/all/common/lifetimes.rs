//! Random programs of blocks whose owners are counted, and of objects on stacks that others use.

use super::looping::{flat, loops, piece};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Given, Instr, Is, LastOwner, Local, Program, Reg, Value};
use raddle_schedule::Order::SeqCst;

/// The count, with the variable behind it.
const COUNT: u32 = 6;
/// A plain variable that is no part of the block: what a decrement publishes about it, only the drop knows.
const PLAIN: u32 = 9;
/// Objects on a stack.
const LOCALS: [Local; 3] = [Local::Variable(10), Local::Mutex(3), Local::Semaphore(1)];
/// Registers of what is told here: not those of loops, nor those in which the first thread has the numbers of others.
const SEEN: Reg = 6;
const MORE: Reg = 7;

/// How the owners of a program's block are counted.
#[derive(Clone, Debug)]
struct Block {
    last: LastOwner,
    given: Given,
    /// Of the last owner, where others can notice what it does.
    drops: Vec<Instr>,
}

/// An operation of a thread on the block.
#[derive(Clone, Copy, Debug)]
enum Act {
    Clone,
    Look,
    Change,
    /// Is it the only owner? Then it changes the contents.
    GetMut,
    /// It says that there are not so many owners.
    Counts(u64),
    /// Becomes an owner for a moment, if there is one; with `true` it says that there was.
    Upgrade(bool),
}

fn when(register: Reg, is: Is, value: u64, to: usize) -> Instr {
    Instr::JumpIf(Condition(Value::Reg(register), is, Value::Const(value)), to)
}

impl Block {
    /// An operation of the last owner.
    fn tail(&self) -> Vec<Instr> {
        self.drops.iter().copied().chain([Instr::Release(COUNT, self.given)]).collect()
    }

    fn disown(&self) -> Vec<Instr> {
        let tail = self.tail();
        let mut body =
            vec![Instr::Disown(COUNT, self.last, MORE), when(MORE, Is::NotEqual, 1, 2 + tail.len())];
        body.extend(tail);
        body
    }

    /// Takes the contents out if this is the only owner, and else is none any more.
    fn unwrap(&self) -> Vec<Instr> {
        let tail = self.tail();
        let swap = Instr::CompareExchange(COUNT, Value::Const(1), Value::Const(0), SEEN, SeqCst);
        let disown = Instr::Disown(COUNT, self.last, MORE);
        let mut body =
            vec![swap, when(SEEN, Is::Equal, 1, 4), disown, when(MORE, Is::NotEqual, 1, 4 + tail.len())];
        body.extend(tail);
        body
    }

    fn upgrade(&self, is_said: bool) -> Vec<Instr> {
        let gives = self.disown();
        let before: usize = 6 + usize::from(is_said);
        let end = before + 1 + gives.len();
        let said =
            is_said.then_some(Instr::Assert(Condition(Value::Reg(SEEN), Is::NotEqual, Value::Const(0))));
        let mut body = vec![Instr::Load(COUNT, SEEN, SeqCst)];
        body.extend(said);
        body.extend([
            when(SEEN, Is::Equal, 0, end),
            Instr::Set(MORE, Value::Reg(SEEN)),
            Instr::Add(MORE, Value::Const(1)),
            Instr::CompareExchange(COUNT, Value::Reg(SEEN), Value::Reg(MORE), MORE, SeqCst),
            Instr::JumpIf(Condition(Value::Reg(SEEN), Is::NotEqual, Value::Reg(MORE)), end),
            Instr::Read(COUNT + 1, SEEN),
        ]);
        let start = body.len();
        body.extend(flat_at(gives, start));
        assert_eq!(body.len(), end);
        body
    }

    fn act(&self, act: Act) -> Vec<Instr> {
        match act {
            Act::Clone => vec![Instr::Own(COUNT, self.last)],
            Act::Look => vec![Instr::Read(COUNT + 1, SEEN)],
            Act::Change => vec![Instr::Write(COUNT + 1, Value::Const(1))],
            Act::GetMut => vec![
                Instr::Load(COUNT, SEEN, SeqCst),
                when(SEEN, Is::NotEqual, 1, 3),
                Instr::Write(COUNT + 1, Value::Const(2)),
            ],
            Act::Counts(n) => vec![
                Instr::Load(COUNT, SEEN, SeqCst),
                Instr::Assert(Condition(Value::Reg(SEEN), Is::NotEqual, Value::Const(n))),
            ],
            Act::Upgrade(is_said) => self.upgrade(is_said),
        }
    }

    /// An owner's pieces: what it does, and that it gives up what it owns; then perhaps something that it may not do any more.
    fn owner(&self, acts: Vec<Act>, unwraps: bool, behind: Option<Act>) -> Vec<Vec<Instr>> {
        let clones = acts.iter().filter(|a| matches!(a, Act::Clone)).count();
        let mut pieces: Vec<_> = acts.into_iter().map(|a| self.act(a)).collect();
        pieces.extend((0..clones).map(|_| self.disown()));
        pieces.push(if unwraps { self.unwrap() } else { self.disown() });
        pieces.extend(behind.map(|a| self.act(a)));
        pieces
    }
}

/// A piece with its jumps, to stand at this place of another one.
fn flat_at(piece: Vec<Instr>, start: usize) -> impl Iterator<Item = Instr> {
    piece.into_iter().map(move |instr| match instr {
        Instr::JumpIf(c, to) => Instr::JumpIf(c, start + to),
        other => other,
    })
}

fn block() -> impl Strategy<Value = Block> {
    let given = || prop_oneof![2 => Just(Given::Block), 1 => Just(Given::Contents)];
    let noticed = prop_oneof![
        3 => (0..2u32).prop_map(|v| vec![Instr::Store(v, Value::Const(1), SeqCst)]),
        1 => Just(vec![Instr::Lock(0), Instr::Store(0, Value::Const(2), SeqCst), Instr::Unlock(0)]),
        1 => Just(vec![Instr::SemPost(0)]),
        2 => (0..2u32).prop_map(|v| vec![
            Instr::Load(v, SEEN, SeqCst),
            Instr::Assert(Condition(Value::Reg(SEEN), Is::NotEqual, Value::Const(1))),
        ]),
    ];
    let hidden = prop_oneof![2 => Just(vec![]), 1 => Just(vec![Instr::Read(COUNT + 1, SEEN)])];
    prop_oneof![
        3 => (given(), hidden).prop_map(|(given, drops)| Block { last: LastOwner::Hidden, given, drops }),
        2 => (given(), noticed).prop_map(|(given, drops)| Block { last: LastOwner::Noticed, given, drops }),
    ]
}

/// An operation of an owner. Where the count is given back with the block, only owners look at it.
fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Clone),
        4 => Just(Act::Look),
        1 => Just(Act::Change),
        2 => Just(Act::GetMut),
        2 => (1..4u64).prop_map(Act::Counts),
        1 => any::<bool>().prop_map(Act::Upgrade),
    ]
}

/// A thread that owns the block, and perhaps does something else.
fn owner(block: Block) -> impl Strategy<Value = Vec<Instr>> {
    let behind = prop_oneof![6 => Just(None), 1 => act().prop_map(Some)];
    let plain = || {
        prop_oneof![Just(vec![Instr::Write(PLAIN, Value::Const(1))]), Just(vec![Instr::Read(PLAIN, SEEN)]),]
    };
    let other =
        move || prop_oneof![6 => Just(None), 2 => piece().prop_map(Some), 1 => plain().prop_map(Some)];
    let last = option::weighted(0.1, plain());
    (vec(act(), 0..3), any::<bool>(), behind, other(), other(), last).prop_map(
        move |(acts, unwraps, behind, before, between, last)| {
            // A thread that owns nothing counts no owner in: the runtime has points at such counts whose order matters.
            let behind = behind.filter(|a| !matches!(a, Act::Clone) || block.last == LastOwner::Noticed);
            let own = block.owner(acts, unwraps, behind);
            let at = own.len() / 2;
            let (first, second) = own.split_at(at);
            let pieces =
                before.into_iter().chain(first.to_vec()).chain(between).chain(second.to_vec()).chain(last);
            flat(pieces.collect())
        },
    )
}

/// A thread that owns nothing.
fn stranger(block: Block) -> impl Strategy<Value = Vec<Instr>> {
    let weak = block.given == Given::Contents;
    let touches = prop_oneof![
        1 => Just(Act::Look),
        4 => any::<bool>().prop_map(Act::Upgrade),
        2 => (1..4u64).prop_map(Act::Counts),
    ];
    let touches = touches.prop_filter_map("a count that is there", move |act| {
        (weak || matches!(act, Act::Look)).then(|| block.act(act))
    });
    let acts = if weak { vec(touches.boxed(), 1..2).boxed() } else { vec(touches.boxed(), 0..2).boxed() };
    (acts, vec(piece(), 0..2)).prop_map(|(acts, pieces)| flat(acts.into_iter().chain(pieces).collect()))
}

/// Two or three owners of a block, and perhaps a thread that is none.
pub fn owners() -> impl Strategy<Value = Program> {
    block().prop_flat_map(|block| {
        let third = prop_oneof![
            4 => Just(vec![]).prop_map(|body| (body, 0)),
            1 => owner(block.clone()).prop_map(|body| (body, 1)),
            2 => stranger(block.clone()).prop_map(|body| (body, 0)),
        ];
        (owner(block.clone()), owner(block), third).prop_map(|(a, b, (c, more))| {
            let bodies = [a, b, c].into_iter().filter(|body| !body.is_empty()).collect();
            let mut program = Program { semaphores: vec![0], ..Program::fork_join(bodies) };
            program.bodies[0].insert(0, Instr::Store(COUNT, Value::Const(2 + more), SeqCst));
            program
        })
    })
}

/// An operation of another thread on an object on a stack.
fn uses(local: Local) -> BoxedStrategy<Vec<Instr>> {
    let raises = Instr::Store(0, Value::Const(1), SeqCst);
    match local {
        Local::Variable(v) => prop_oneof![
            2 => Just(vec![Instr::Store(v, Value::Const(1), SeqCst)]),
            2 => Just(vec![Instr::Load(v, SEEN, SeqCst)]),
            2 => Just(vec![Instr::FetchAdd(v, Value::Const(1), SEEN, SeqCst)]),
            1 => Just(vec![Instr::Write(v, Value::Const(1))]),
            1 => Just(vec![Instr::Read(v, SEEN)]),
        ]
        .boxed(),
        Local::Mutex(m) => prop_oneof![
            Just(vec![Instr::Lock(m), Instr::Unlock(m)]),
            Just(vec![Instr::Lock(m), raises, Instr::Unlock(m)]),
        ]
        .boxed(),
        Local::Semaphore(s) => {
            prop_oneof![3 => Just(vec![Instr::SemPost(s)]), 1 => Just(vec![Instr::SemTryWait(s, SEEN)])]
                .boxed()
        }
    }
}

/// Operations of the thread on whose stack it is, before it goes: it uses it, and perhaps waits for the others.
fn uses_own(local: Local) -> BoxedStrategy<Vec<Instr>> {
    let own = match local {
        Local::Semaphore(s) => Just(vec![Instr::SemWait(s)]).boxed(),
        _ => uses(local),
    };
    prop_oneof![
        2 => own,
        2 => Just(vec![Instr::SemWait(0)]),
        1 => Just(vec![Instr::SemWaitTimeout(0, SEEN)]),
        1 => piece(),
    ]
    .boxed()
}

/// A thread's object that others use, and its function returns. The first thread may have it, and wait for some of the others.
pub fn stacks() -> impl Strategy<Value = Program> {
    proptest::sample::select(&LOCALS[..]).prop_flat_map(|local| {
        let pieces = |uses: BoxedStrategy<Vec<Instr>>| {
            prop_oneof![3 => uses, 2 => Just(vec![Instr::SemPost(0)]), 2 => piece()].boxed()
        };
        let other = move |most| vec(pieces(uses(local)), 1..most).prop_map(flat);
        let has =
            (vec(uses_own(local), 0..3), option::weighted(0.3, piece())).prop_map(move |(before, behind)| {
                flat(before.into_iter().chain([vec![Instr::Return(local)]]).chain(behind).collect())
            });
        (has, other(4), option::weighted(0.4, other(3)), any::<bool>(), 0..3usize).prop_map(
            |(has, a, b, is_first, joined)| {
                let others = [a].into_iter().chain(b);
                if !is_first {
                    let bodies = [has].into_iter().chain(others).collect();
                    return Program { semaphores: vec![0, 0], ..Program::fork_join(bodies) };
                }
                let mut program = Program { semaphores: vec![0, 0], ..Program::fork_join(others.collect()) };
                let threads = program.bodies.len() - 1;
                let at = threads + joined.min(threads);
                let main = &mut program.bodies[0];
                let behind = main.split_off(at);
                let start = main.len();
                main.extend(flat_at(has, start));
                main.extend(behind);
                program
            },
        )
    })
}

/// Loops that yield, sleep, try or wait with a time limit, of a thread beside owners, or of one whose object others use.
pub fn loops_beside() -> impl Strategy<Value = Program> {
    let beside = prop_oneof![owners(), stacks()];
    (beside, loops(), option::weighted(0.3, piece()), any::<bool>()).prop_map(
        |(mut program, looping, before, is_own)| {
            let first = flat(before.into_iter().chain([looping]).collect());
            let last = program.bodies.len() - 1;
            if is_own {
                // At the front of a thread: its jumps stay where they are, those behind it are moved.
                let length = first.len();
                let behind: Vec<_> = flat_at(std::mem::take(&mut program.bodies[last]), length).collect();
                program.bodies[last] = first.into_iter().chain(behind).collect();
                return program;
            }
            let spawns = program.bodies[0].iter().rposition(|i| matches!(i, Instr::Spawn(..)));
            let at = spawns.map_or(0, |at| at + 1);
            program.bodies.push(first);
            let (body, number) = (program.bodies.len() - 1, 3 + last as Reg);
            if number < SEEN {
                program.bodies[0].insert(at, Instr::Spawn(body, number));
                moved(&mut program.bodies[0], at);
                program.bodies[0].push(Instr::Join(Value::Reg(number)));
            } else {
                program.bodies.pop();
            }
            program
        },
    )
}

/// An instruction was put at this place: jumps behind it go one further.
fn moved(body: &mut [Instr], at: usize) {
    for instr in &mut body[at + 1..] {
        if let Instr::JumpIf(_, to) = instr {
            *to += 1;
        }
    }
}

/// The same program with a point before each return, at which others may come.
pub fn with_points(program: &Program) -> Program {
    let point = |body: &Vec<Instr>| {
        let mut whole = body.clone();
        let mut at = 0;
        while at < whole.len() {
            if matches!(whole[at], Instr::Return(_)) {
                for instr in &mut whole {
                    if let Instr::JumpIf(_, to) = instr {
                        *to += usize::from(*to > at);
                    }
                }
                whole.insert(at, Instr::Point);
                at += 1;
            }
            at += 1;
        }
        whole
    };
    Program { bodies: program.bodies.iter().map(point).collect(), ..program.clone() }
}
