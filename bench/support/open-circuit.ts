/** A stitch that queues its deliveries and sends none: an open circuit whose next probe is far away. */

/** For `query` while the node is stopped. `$1`: the stitch. */
export const openCircuit = `
  update stitches set status = 'error', state = jsonb_set(state, '{health}',
    '{"failures": 10, "failingSince": 0, "exhausted": 0, "probeAt": 4102444800000}') where stitch_id = $1`;
