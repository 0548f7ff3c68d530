/** Statements that make an inbox of the threads of a database: what a reader filters by, and words that are searched. */

/** Messages and names of all threads but the first are searched; a word of each is rare, others are in a thousandth, a fiftieth, or all. */
const body = `'Hello, where is my order? It is w' || n % 1000 || ' of m' || n % 50 || ', number' || n`;
const words = (text: string, block: string): string =>
  `to_tsvector('simple', ${text}) || array_to_tsvector(array[t.environment_id, t.environment_id || '#' || ${block}])`;
const numbered = `(select t.*, substr(t.external_ref, 6)::int as n from threads t where t.external_ref like 'copy %') t`;

/** `$1`: the reader. */
export const inboxStatements: readonly string[] = [
  'drop index message_words_found',
  'drop index message_words_named',
  `insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body, actor, created_at, updated_at)
   select 'msg_' || lpad(n::text, 26, '0'), project_id, environment_id, thread_id, channel_id, 3, 'inbound', ${body}, '{}', last_message_at, last_message_at
   from ${numbered}`,
  `insert into message_words (thread_id, sequence, project_id, environment_id, seq, at, words)
   select thread_id, 3, project_id, environment_id, 2000000 - n, last_message_at, ${words(body, `((2000000 - n) >> 16)::text`)} from ${numbered}
   union all
   select thread_id, 0, project_id, environment_id, 2000000 - n, created_at, ${words('external_ref', `'name'`)} from ${numbered}`,
  'create index message_words_found on message_words using gin (words) where sequence > 0',
  'create index message_words_named on message_words using gin (words) where sequence = 0',
  'vacuum analyze message_words, messages',
];

/** A channel that few threads came by. Nothing else needs to know it. */
export const fewChannel = 'ch_00000000000000000000000001';

/** What is set of each thread; `$1`: the reader. */
export const inboxColumns = `
  update threads t set
    status = case when n % 5 = 0 then 'closed' when n % 50 = 1 then 'archived' else 'open' end,
    assignee_user_id = case when n % 2000 = 2 then $1 when n % 3 = 0 then 'usr_00000000000000000000000000' end,
    agent_mode = case when n % 500 = 2 then 'paused' end,
    waiting_since = case when n % 20 = 2 then last_message_at end,
    pending_suggestion = case when n % 5000 = 3 then 'run_' || lpad(n::text, 26, '0') end,
    failed_sends = case when n % 3000 = 4 then 1 end,
    snoozed_until = case when n % 400 = 6 then now() + (n % 1000) * interval '1 minute' end,
    tags = case when n % 1000 = 7 then '{vip}' when n % 50 = 8 then '{later}' else '{}' end::text[],
    channel_id = case when n % 5000 = 9 then '${fewChannel}' when n % 10 = 1 then '${fewChannel.slice(0, -1)}2' else channel_id end,
    updated_at = last_message_at, updated_second = active_second,
    window_minute = case when n % 4 = 2 then floor(extract(epoch from now()) / 60) + n % 1440 end,
    state = case when n % 4 = 2 then jsonb_set(state, '{window}', jsonb_build_object('phase', 'open',
      'expiresAt', (floor(extract(epoch from now()) / 60)::bigint + n % 1440) * 60000)) else state end
  from (select thread_id, substr(external_ref, 6)::int as n from threads where external_ref like 'copy %') numbered
  where numbered.thread_id = t.thread_id`;

/** The reader has read all but every thousandth thread. */
export const inboxCursors = `
  insert into read_cursors (thread_id, user_id, project_id, environment_id, sequence, updated_at, inbound_count)
  select thread_id, $1, project_id, environment_id, 3, now(), 1 from ${numbered} where n % 1000 > 0`;
