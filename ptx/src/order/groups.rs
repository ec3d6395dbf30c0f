//! Groups of copies of a thread: those committed, and those known to be complete after a wait.

use super::clock::Component;
use super::{Order, Who, group_of};
use std::collections::VecDeque;

/// Groups of a thread that are told apart: one that leaves more of them open knows no less than that those before them are over.
const MOST_GROUPS: usize = 256;

/// Copies of one kind of a thread.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// What counts those that have ended, and those whose sources have been read.
    pub ends: Option<Component>,
    pub reads: Option<Component>,
    /// Number of operations begun.
    pub begun: u32,
    /// How many had begun when each of the last groups was committed.
    commits: VecDeque<u32>,
    /// The same of the last group before these.
    older: Option<u32>,
}

impl Groups {
    fn commit(&mut self, begun: u32) {
        self.commits.push_back(begun);
        if self.commits.len() > MOST_GROUPS {
            self.older = self.commits.pop_front();
        }
    }

    /// How many are over if all groups but this many are.
    fn over(&self, left: u32) -> Option<u32> {
        let place = self.commits.len().checked_sub(left as usize + 1);
        place.map_or(self.older, |place| self.commits.get(place).copied())
    }
}

impl Order {
    pub(super) fn async_component(&mut self, who: Who) -> Component {
        if let Some(component) = self.thread(who).asyncs.ends {
            return component;
        }
        let component = self.component(who.cluster);
        self.thread(who).asyncs.ends = Some(component);
        component
    }

    pub(super) fn bulk_components(&mut self, who: Who) -> (Component, Component) {
        if let Groups { ends: Some(ends), reads: Some(reads), .. } = self.thread(who).bulks {
            return (ends, reads);
        }
        let [ends, reads] = [self.component(who.cluster), self.component(who.cluster)];
        let groups = &mut self.thread(who).bulks;
        (groups.ends, groups.reads) = (Some(ends), Some(reads));
        (ends, reads)
    }

    pub(super) fn warpgroup(&mut self, who: Who) -> Component {
        if let Some(component) = self.cluster(who.cluster).warpgroups.get(&group_of(who)) {
            return *component;
        }
        let component = self.component(who.cluster);
        self.cluster(who.cluster).warpgroups.insert(group_of(who), component);
        component
    }

    /// `cp.async.commit_group`.
    pub fn async_commits(&mut self, who: Who) {
        let groups = &mut self.thread(who).asyncs;
        groups.commit(groups.begun);
    }

    /// `cp.async.wait_group` with this many groups left, or `wait_all`.
    pub fn async_waited(&mut self, who: Who, left: Option<u32>) {
        let thread = self.thread(who);
        let groups = &thread.asyncs;
        let over = if let Some(left) = left { groups.over(left) } else { Some(groups.begun) };
        if let (Some(ends), Some(over)) = (groups.ends, over) {
            thread.known.raise(ends, over);
        }
    }

    /// `cp.async.bulk.commit_group`.
    pub fn bulk_commits(&mut self, who: Who) {
        let groups = &mut self.thread(who).bulks;
        groups.commit(groups.begun);
    }

    /// `cp.async.bulk.wait_group` with this many groups left; of the others the sources only have been read.
    pub fn bulk_waited(&mut self, who: Who, left: u32, read: bool) {
        let thread = self.thread(who);
        let groups = &thread.bulks;
        let Groups { ends: Some(ends), reads: Some(reads), .. } = *groups else { return };
        let Some(over) = groups.over(left) else { return };
        thread.known.raise(reads, over);
        if !read {
            thread.known.raise(ends, over);
        }
    }

    /// `wgmma.commit_group`.
    pub fn matrices_commit(&mut self, who: Who) {
        let groups = &mut self.thread(who).matrices;
        groups.commit(groups.begun);
    }

    /// `wgmma.wait_group` with this many groups left.
    pub fn matrices_waited(&mut self, who: Who, left: u32) {
        let component = self.warpgroup(who);
        let thread = self.thread(who);
        if let Some(over) = thread.matrices.over(left) {
            thread.known.raise(component, over);
        }
    }
}
