/** The days of deliveries, one by one, for reads that look into one partition at a time. */

/** Days back that are looked at one by one; what is older counts as one, and so does what is to come. */
const days = 40;

/**
 * A table of all days, in their order: `n`, 0 for today, and the instants from `since` (inclusive) to `until` (exclusive). The offset keeps the
 * planner from putting these terms where they are used: there they would be computed for each row.
 */
export const selectDays = `
  select n, case when n > -${days} then date_trunc('day', now(), 'UTC') + n * interval '1 day' else '-infinity' end as since,
    case when n < 1 then date_trunc('day', now(), 'UTC') + (n + 1) * interval '1 day' else 'infinity' end as until
  from generate_series(-${days}, 1) n order by n offset 0`;
