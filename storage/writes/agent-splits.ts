/**
 * By which version of its loom an agent answers a thread, as SQL over `agents a` and `looms l`: by the active one, or, of so many in a hundred
 * threads, by the version of the agent's split.
 *
 * Which threads these are depends on the ids of the split and of the thread alone. So it is the same at every run, on every node and after
 * every restart, another split takes other threads, and when its share grows, those that had its version keep it. A split counts as long as
 * no version was activated since it was made: whoever activates one decides for all threads.
 */

/** 0 to 99: the first 32 bits of SHA-256 of both ids, as a number. */
const bucket = (threadId: string): string =>
  `('x' || encode(substring(sha256(convert_to(a.split_id || ':' || ${threadId}, 'UTF8')) from 1 for 4), 'hex'))::bit(32)::bigint % 100`;

/** The id of the version. @param threadId SQL; null: a run without a thread has the active version */
export const answeringVersion = (threadId: string): string =>
  `case when a.split_activation = l.last_activation and ${bucket(threadId)} < a.split_percent
    then a.split_version_id else l.active_version_id end`;
