//! Digests tell threads apart, and only those that differ.

use super::World;
use crate::thread::Now;
use std::collections::HashSet;

const NOW: Now = Now { cycle: 0, nanoseconds: 0, active: 1 };

#[test]
fn a_thread_that_spins_comes_back_to_the_same_digest() {
    let mut world = World::body("", "mov.u32 %r1, 1; spin: setp.eq.u32 %p1, %r1, 1; @%p1 bra spin;", 64);
    let mut at_branch = Vec::new();
    for _ in 0..40 {
        let pc = world.lane.pc;
        let effect = world.program.step(&mut world.lane, &world.place, NOW).unwrap();
        if effect == crate::effect::Effect::Done && world.lane.pc <= pc {
            at_branch.push(world.lane.digest());
        }
        if effect != crate::effect::Effect::Done {
            world.program.finish(&mut world.lane, &[]);
        }
    }
    assert!(at_branch.len() > 10);
    assert_eq!(at_branch.iter().collect::<HashSet<_>>().len(), 1);
}

#[test]
fn a_thread_that_counts_does_not() {
    for step in [
        "add.u32 %r1, %r1, 1;",
        "st.local.u32 [kept], %r1; ld.local.u32 %r2, [kept]; add.u32 %r2, %r2, 2; st.local.u32 [kept], %r2; ld.local.u32 %r1, [kept];",
    ] {
        let body =
            format!(".local .u32 kept; mov.u32 %r1, 0; again: {step} setp.lt.u32 %p1, %r1, 1000; @%p1 bra again;");
        let mut world = World::body("", &body, 64);
        let mut at_branch = HashSet::new();
        let mut times = 0;
        while let crate::effect::Effect::Done | crate::effect::Effect::Load(_) = {
            let pc = world.lane.pc;
            let effect = world.program.step(&mut world.lane, &world.place, NOW).unwrap();
            if effect == crate::effect::Effect::Done && world.lane.pc <= pc {
                times += 1;
                at_branch.insert(world.lane.digest());
            }
            if effect != crate::effect::Effect::Done {
                world.program.finish(&mut world.lane, &[]);
            }
            effect
        } {}
        assert!(times >= 499); // the last of the 500 or 1,000 rounds does not go back
        assert_eq!(at_branch.len(), times, "{step}");
    }
}
