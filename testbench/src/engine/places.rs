//! Positions and values of the pins of an exported unit.

use super::Done;
use crate::request::{Request, Response};
use crate::wake_masks::Masks;
use txbar_rtl::ordering::Order;
use txbar_rtl::parameters::Parameters;

/// Positions of the unit's pins.
pub struct Places {
    pub req_valid: usize,
    pub rsp_ready: usize,
    pub bank_stall: usize,
    pub remote_pending: usize,
    pub req_ready: usize,
    pub rsp_valid: usize,
    pub rsp_resumed: usize,
    pub done_valid: usize,
    pub done_suspended: usize,
    pub flip_valid: usize,
    pub wake_valid: usize,
    pub flip_index: Vec<usize>,
    pub ports: Vec<PortPlaces>,
    pub effects: Vec<EffectPlaces>,
    /// With the wake mask.
    pub resumes: Option<ResumePlaces>,
}

/// Where the pins of the wake mask are.
pub struct ResumePlaces {
    pub valid: usize,
    pub ready: usize,
    /// Completed, expired, ended of each port.
    pub masks: Vec<[usize; 3]>,
}

/// Where the pins of one port are.
pub struct PortPlaces {
    pub req_op: usize,
    pub req_remote: usize,
    pub req_address: usize,
    pub req_data: usize,
    pub req_strobe: usize,
    pub req_tag: usize,
    pub req_order: usize,
    pub rsp_tag: usize,
    pub rsp_status: usize,
    pub rsp_predicate: usize,
    pub rsp_data: usize,
}

/// Where the pins are that tell of an effect.
pub struct EffectPlaces {
    pub done_tag: usize,
    pub done_status: usize,
    pub done_index: usize,
    /// If there is one.
    pub done_port: Option<usize>,
}

impl Places {
    /// Asks for the number of each pin by its name.
    pub fn new(parameters: &Parameters, pin: impl Fn(&str) -> usize) -> Self {
        let port = |port: usize| {
            let pin = |name: &str| pin(&format!("{name}_{port}"));
            PortPlaces {
                req_op: pin("req_op"),
                req_remote: pin("req_remote"),
                req_address: pin("req_address"),
                req_data: pin("req_data"),
                req_strobe: pin("req_strobe"),
                req_tag: pin("req_tag"),
                req_order: pin("req_order"),
                rsp_tag: pin("rsp_tag"),
                rsp_status: pin("rsp_status"),
                rsp_predicate: pin("rsp_predicate"),
                rsp_data: pin("rsp_data"),
            }
        };
        let effect = |place: usize| {
            let pin = |name: &str| pin(&format!("{name}_{place}"));
            EffectPlaces {
                done_tag: pin("done_tag"),
                done_status: pin("done_status"),
                done_index: pin("done_index"),
                done_port: parameters.is_banked().then(|| pin("done_port")),
            }
        };
        Self {
            req_valid: pin("req_valid"),
            rsp_ready: pin("rsp_ready"),
            bank_stall: pin("bank_stall"),
            remote_pending: pin("remote_pending"),
            req_ready: pin("req_ready"),
            rsp_valid: pin("rsp_valid"),
            rsp_resumed: pin("rsp_resumed"),
            done_valid: pin("done_valid"),
            done_suspended: pin("done_suspended"),
            flip_valid: pin("flip_valid"),
            wake_valid: pin("wake_valid"),
            flip_index: (0..parameters.banks).map(|bank| pin(&format!("flip_index_{bank}"))).collect(),
            ports: (0..parameters.ports).map(port).collect(),
            effects: (0..parameters.effects()).map(effect).collect(),
            resumes: parameters.wake_mask.then(|| ResumePlaces {
                valid: pin("resume_valid_0"),
                ready: pin("resume_ready_0"),
                masks: (0..parameters.ports)
                    .map(|port| ["completed", "expired", "ended"].map(|how| pin(&format!("resume_{how}_{port}"))))
                    .collect(),
            }),
        }
    }

    /// The request that stands on a port.
    pub fn request(&self, port: usize, value: impl Fn(usize) -> u64) -> Request {
        let places = &self.ports[port];
        Request {
            op: value(places.req_op) as u8,
            remote: value(places.req_remote) != 0,
            address: value(places.req_address) as u32,
            data: value(places.req_data),
            strobe: value(places.req_strobe) as u8,
            tag: value(places.req_tag) as u16,
            order: Order::from_code(value(places.req_order) as u8),
            ..Request::NOTHING
        }
    }

    /// The answer that a port shows.
    pub fn response(&self, port: usize, value: impl Fn(usize) -> u64) -> Response {
        let places = &self.ports[port];
        Response {
            tag: value(places.rsp_tag) as u16,
            status: value(places.rsp_status) as u8,
            predicate: value(places.rsp_predicate) != 0,
            data: value(places.rsp_data),
            resumed: value(self.rsp_resumed) >> port & 1 != 0,
        }
    }

    /// What takes effect at a place.
    pub fn effect(&self, place: usize, value: impl Fn(usize) -> u64) -> Done {
        let places = &self.effects[place];
        Done {
            port: places.done_port.map_or(place, |pin| value(pin) as usize),
            tag: value(places.done_tag) as u16,
            status: value(places.done_status) as u8,
            index: value(places.done_index) as usize,
            suspended: value(self.done_suspended) >> place & 1 != 0,
        }
    }

    /// The masks that a port shows.
    pub fn resumed(&self, port: usize, value: impl Fn(usize) -> u64) -> Masks {
        let mask = |how: usize| self.resumes.as_ref().map_or(0, |at| value(at.masks[port][how]));
        Masks { completed: mask(0), expired: mask(1), ended: mask(2) }
    }
}
