//! The latency of requests to other CTAs, as the manifest states it.

use txbar_rtl::cluster::Cluster;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::op::Op;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::word::address::mapa;

#[test]
fn a_request_to_another_cta_takes_two_links_and_seven_cycles() {
    for link_cycles in [1, 2, 3, 8, 64] {
        let unit = Parameters { ports: 1, ..Parameters::default() };
        let parameters = ClusterParameters { unit, link_cycles, ..ClusterParameters::default() };
        let mut cluster = Cluster::new(&parameters);
        for _ in 0..2 {
            cluster.settle();
            cluster.clock_in_reset();
        }
        cluster.req[0][0].op.next = u64::from(Op::Load.code()).into();
        cluster.req[0][0].cluster.next = true;
        cluster.req[0][0].address.next = u64::from(mapa(0x40, 1)).into();
        cluster.rsp_ready[0].next = 1.into();
        let mut accepted = None;
        let answered = (0..1000).find(|cycle| {
            cluster.req_valid[0].next = u64::from(accepted.is_none()).into();
            cluster.settle();
            if accepted.is_none() && cluster.req_ready[0].val().any() {
                accepted = Some(*cycle);
            }
            let answered = cluster.rsp_valid[0].val().any();
            cluster.clock();
            answered
        });
        let cycles = answered.zip(accepted).map(|(answered, accepted)| answered - accepted);
        assert_eq!(cycles, Some(parameters.remote_latency()), "links of {link_cycles}");
    }
}
