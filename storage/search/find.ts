/**
 * Finds threads by words: of their messages, and of their participants' names. The newest messages are looked through as they are, because
 * a common word is found there at once; then the index is asked, of newer messages first, and of all only where those are not enough. So
 * each step reads few rows, and has a time limit (storage/database).
 */
import type { ThreadMatch } from '../../protocol/resources/index.ts';
import type { Database } from '../database/index.ts';
import { ScanConditions } from '../paging/index.ts';
import { addThreadFilters, record, type ThreadFilter, type ThreadRecord } from '../reads/index.ts';
import { blockBits, nameBlock } from './follow.ts';

export interface ThreadSearch extends Omit<ThreadFilter, 'sort' | 'order' | 'after'> {
  readonly q: string;
}

/** A thread of the results, and what was found in it. */
export interface FoundThread extends ThreadRecord {
  readonly match: ThreadMatch;
}

/** A message with the words, or with the sequence 0 a name. */
interface Candidate {
  readonly threadId: string;
  readonly sequence: number;
  readonly at: Date;
  readonly rank: number;
}

interface Newest {
  readonly count: number;
  readonly seq: number | null;
  readonly found: readonly Candidate[] | null;
}

/** Messages that are looked through without the index. */
const newestRows = 1_000;
/** Candidates of one look into the index, and threads that the filters are applied to. */
const maxCandidates = 1_000;
const maxThreads = 500;
/** Blocks of events that are searched first: the last one may have just begun. */
const newestBlocks = 2;
/** A message of that age counts half of a new one. */
const halfLifeMs = 30 * 86_400_000;

/** Private-use characters, which a snippet's text does not have. */
const startMark = '\ue000';
const endMark = '\ue001';
const headline = `StartSel=${startMark}, StopSel=${endMark}, MaxWords=24, MinWords=12, ShortWord=0`;

// A last word that may go on is a prefix, from three characters on: shorter ones begin too many words.
const parse = `
  select case when $2::boolean and text ~ '''$' then text || ':*' else text end as query
  from (select websearch_to_tsquery('simple', $1)::text as text) parsed`;

const candidate = `w.thread_id as "threadId", w.sequence, w.at, w.seq, ts_rank(w.words, $3::tsquery) as rank`;

// The newest block in any case, and the matches.
const lookThroughNewest = `
  with newest as materialized (
    select * from message_words where project_id = $1 and environment_id = $2 order by seq desc limit ${newestRows}
  )
  select count(*)::int as count, max(seq) as seq, (
    select jsonb_agg(found) from (
      select ${candidate} from newest w where w.words @@ $3::tsquery order by w.seq desc limit ${maxThreads}) found
  ) as found from newest`;

// Tenancy is among the words; beside them it is no condition of an index, so that no other than that of words is taken.
const askIndex = (sequence: '> 0' | '= 0'): string => `
  select ${candidate} from message_words w
  where w.sequence ${sequence} and w.words @@ ($3::tsquery && $4::tsquery) and w.project_id || '' = $1 and w.environment_id || '' = $2 limit ${maxCandidates}`;

const names = `concat_ws(' ', (best.row #>> '{participant,displayName}'), best.row ->> 'external_ref')`;

/** `$3` to `$5`: threads, sequences and scores; `$6`: the query. */
const showBest = (filters: readonly string[], limit: number): string => `
  with best as materialized (
    select ${record}, c.sequence, c.score from unnest($3::text[], $4::bigint[], $5::float8[]) c (thread_id, sequence, score)
    join threads t using (thread_id)
    where ${['t.project_id = $1', 't.environment_id = $2', ...filters].join(' and ')}
    order by c.score desc, c.thread_id limit ${limit}
  )
  select best."threadId", best.row, m.message_id as "messageId", coalesce(m.created_at, (best.row ->> 'created_at')::timestamptz) as at,
    ts_headline('simple', translate(left(coalesce(m.body, ${names}), 4000), '${startMark}${endMark}', ''), $6::tsquery, '${headline}') as marked
  from best left join messages m on m.thread_id = best."threadId" and m.sequence = best.sequence
    and m.project_id = $1 and m.environment_id = $2
  order by best.score desc, best."threadId"`;

/** The best threads of one environment, at most `limit`. */
export async function searchThreads(
  db: Pick<Database, 'search'>,
  search: ThreadSearch,
): Promise<FoundThread[]> {
  const { projectId, q } = search;
  const isPrefix = /[\p{L}\p{N}]{3}$/u.test(q);
  const [parsed] = await db.search<{ query: string }>(projectId, parse, [q, isPrefix]);
  const query = parsed?.query ?? '';
  if (query === '') return [];
  const candidates = await findCandidates(db, search, query);
  return show(db, search, query, rank(candidates, search.now));
}

async function findCandidates(
  db: Pick<Database, 'search'>,
  { projectId, environmentId, limit }: ThreadSearch,
  query: string,
): Promise<readonly Candidate[]> {
  const tenant = [projectId, environmentId, query];
  const ask = (...blocks: readonly string[]): Promise<Candidate[]> => {
    const marks = blocks.map(block => `'${environmentId}${block}'`).join(' | ');
    const statement = askIndex(blocks[0] === `#${nameBlock}` ? '= 0' : '> 0');
    return withinTime(db.search<Candidate>(projectId, statement, [...tenant, marks]));
  };
  const [[newest], named] = await Promise.all([
    db.search<Newest>(projectId, lookThroughNewest, tenant),
    ask(`#${nameBlock}`),
  ]);
  const { count = 0, seq = 0, found: recent = [] } = newest ?? {};
  const found = [...named, ...(recent ?? []).map(each => ({ ...each, at: new Date(each.at) }))];
  const isEnough = (): boolean => new Set(found.map(({ threadId }) => threadId)).size >= limit;
  if (count < newestRows || isEnough()) return found;
  const block = Math.floor((seq ?? 0) / 2 ** blockBits);
  found.push(...(await ask(...Array.from({ length: newestBlocks }, (_, back) => `#${block - back}`))));
  if (!isEnough()) found.push(...(await ask('')));
  return found;
}

/** What was not found in time is left out. */
async function withinTime(asked: Promise<Candidate[]>): Promise<Candidate[]> {
  try {
    return await asked;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === '57014') return [];
    throw error;
  }
}

interface Scored {
  readonly sequence: number;
  readonly score: number;
}

/** The best of each thread: a name counts more than a message, and a new message more than an old one. */
function rank(
  candidates: readonly Candidate[],
  now: number,
): readonly (Scored & { readonly threadId: string })[] {
  const best = new Map<string, Scored>();
  for (const { threadId, sequence, at, rank } of candidates) {
    const age = Math.max(0, now - at.getTime());
    const score = (sequence === 0 ? 1 + rank : rank) * (halfLifeMs / (halfLifeMs + age));
    if (score > (best.get(threadId)?.score ?? -1)) best.set(threadId, { sequence, score });
  }
  return [...best]
    .map(([threadId, scored]) => ({ threadId, ...scored }))
    .sort((a, b) => b.score - a.score)
    .slice(0, maxThreads);
}

interface Shown extends ThreadRecord {
  readonly messageId: string | null;
  readonly at: Date;
  readonly marked: string;
}

async function show(
  db: Pick<Database, 'search'>,
  search: ThreadSearch,
  query: string,
  best: readonly (Scored & { readonly threadId: string })[],
): Promise<FoundThread[]> {
  const { projectId, environmentId, limit } = search;
  const conditions = new ScanConditions(
    [
      projectId,
      environmentId,
      best.map(({ threadId }) => threadId),
      best.map(({ sequence }) => sequence),
      best.map(({ score }) => score),
      query,
    ],
    [],
  );
  addThreadFilters(conditions, search);
  const rows = await db.search<Shown>(projectId, showBest(conditions.filters, limit), conditions.values);
  return rows.map(({ threadId, row, messageId, at, marked }) => ({
    threadId,
    row,
    match: {
      field: messageId === null ? 'participant' : 'message',
      messageId,
      at: at.toISOString(),
      ...toSnippet(marked),
    },
  }));
}

/** The text without its marks, and where they stood. */
export function toSnippet(marked: string): Pick<ThreadMatch, 'snippet' | 'highlights'> {
  const highlights: [number, number][] = [];
  let snippet = '';
  for (const [index, part] of marked.replace(/\s+/g, ' ').trim().split(startMark).entries()) {
    const [match = '', rest] = index === 0 ? ['', part] : part.split(endMark);
    if (match !== '') highlights.push([snippet.length, snippet.length + match.length]);
    snippet += match + (rest ?? '');
  }
  return { snippet, highlights };
}
