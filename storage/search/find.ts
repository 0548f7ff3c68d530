/**
 * Finds threads by words: of their messages, and of their subjects and participants' names. The newest messages are looked through as they are, because
 * a common word is found there at once, and more of them where it is not rare; then the index is asked, of newer messages first, and of all
 * only where those are not enough. So each step reads few rows, and has a time limit (storage/database).
 *
 * Of 1,000,000 messages with 12 words each, in milliseconds of the index: one word of a fiftieth 2, of all and of a thousandth together 12,
 * four in a row 29 to 36. So words that many of the newest messages have are left to the rows that the others are in.
 */
import type { ThreadMatch } from '../../protocol/resources/index.ts';
import type { Database } from '../database/index.ts';
import { ScanConditions, cutPage, limitBytes } from '../paging/index.ts';
import { addThreadFilters, record, type ThreadFilter, type ThreadRecord } from '../reads/index.ts';
import { blockBits, nameBlock } from './follow.ts';

export interface ThreadSearch extends ThreadFilter {
  readonly q: string;
  /** Threads of the answer. */
  readonly limit: number;
}

/** A thread of the results, and what was found in it. */
export interface FoundThread extends ThreadRecord {
  readonly match: ThreadMatch;
}

/** A message with the words, or with the sequence 0 a name and a subject. */
interface Candidate {
  readonly threadId: string;
  readonly sequence: number;
  readonly at: Date;
  readonly rank: number;
}

interface Newest {
  readonly count: number;
  /** Of the first row, and of the last. */
  readonly seq: number | null;
  readonly end: number | null;
  /** In how many of them each word is. */
  readonly having: readonly number[] | null;
  readonly found: readonly Candidate[] | null;
}

/** Messages that are looked through without the index. */
const newestRows = 1_000;
/** Further ones, some 4 ms, where they are likely to have enough. Of rarer words the index has so few that it takes less. */
const walkedRows = 6_000;
/** A word of more of the newest than this is common; so many words of a query are looked at. */
const commonRows = 50;
const maxWords = 8;
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
  select count(*)::int as count, max(seq) as seq, min(seq) as end, (
    select array_agg((select count(*)::int from newest w where w.words @@ word.query::tsquery) order by word.place)
    from unnest($4::text[]) with ordinality word (query, place)
  ) as having, (
    select jsonb_agg(found) from (
      select ${candidate} from newest w where w.words @@ $3::tsquery order by w.seq desc limit ${maxThreads}) found
  ) as found from newest`;

/** `$4`: the last number that was looked at, `$5`: hits that are enough. */
const walk = `
  select ${candidate} from (
    select * from message_words where project_id = $1 and environment_id = $2 and seq < $4 order by seq desc limit ${walkedRows}
  ) w where w.words @@ $3::tsquery limit $5`;

// `$5`: what the index is asked for of the query. Tenancy is among the words; beside them it is no condition of an index, so that no other than that of words is taken.
const askIndex = (sequence: '> 0' | '= 0'): string => `
  select ${candidate} from message_words w
  where w.sequence ${sequence} and w.words @@ ($5::tsquery && $4::tsquery) and w.words @@ $3::tsquery and w.project_id || '' = $1 and w.environment_id || '' = $2 limit ${maxCandidates}`;

const isIn = (text: string): string => `to_tsvector('simple', ${text}) @@ $6::tsquery`;
/** Where a thread itself was found: by whom it is with, by what it is about, or only by both. */
const about = `
  select name, subject, case when subject is null or ${isIn('name')} then name when ${isIn('subject')} then subject
    else concat_ws(' ', name, subject) end as text, subject is not null and not ${isIn('name')} as "bySubject"
  from (select concat_ws(' ', best.row #>> '{participant,displayName}', best.row ->> 'external_ref') as name,
    best.row #>> '{state,subject}' as subject) said`;

/** `$3` to `$5`: threads, sequences and scores; `$6`: the query. */
const showBest = (filters: readonly string[], limit: number): string => `
  with fitting as materialized (
    select t.thread_id, c.sequence, c.score from unnest($3::text[], $4::bigint[], $5::float8[]) c (thread_id, sequence, score)
    join threads t using (thread_id)
    where ${['t.project_id = $1', 't.environment_id = $2', ...filters].join(' and ')}
    order by c.score desc, c.thread_id limit ${limit}
  ), best as materialized (
    select ${record}, c.sequence, c.score from fitting c join threads t using (thread_id)
    where t.project_id = $1 and t.environment_id = $2
  )
  select best."threadId", best.row, m.message_id as "messageId", about."bySubject", coalesce(m.created_at, (best.row ->> 'created_at')::timestamptz) as at,
    ts_headline('simple', translate(left(coalesce(m.body, about.text), 4000), '${startMark}${endMark}', ''), $6::tsquery, '${headline}') as marked
  from best left join messages m on m.thread_id = best."threadId" and m.sequence = best.sequence
    and m.project_id = $1 and m.environment_id = $2
  cross join lateral (${about}) about
  order by best.score desc, best."threadId"`;

/** The best threads of one environment, at most `limit`. */
export async function searchThreads(
  db: Pick<Database, 'search'>,
  search: ThreadSearch,
): Promise<FoundThread[]> {
  const { projectId, q, limit } = search;
  const isPrefix = /[\p{L}\p{N}]{3}$/u.test(q);
  const [parsed] = await db.search<{ query: string }>(projectId, parse, [q, isPrefix]);
  const query = parsed?.query ?? '';
  if (query === '') return [];
  const conditions = new ScanConditions([], []);
  addThreadFilters(conditions, search);
  // Filters apply to as many of the best.
  const wanted = conditions.filters.length > 0 ? maxThreads : limit;
  const candidates = await findCandidates(db, search, query, wanted);
  return show(db, search, query, rank(candidates, search.now).slice(0, wanted));
}

async function findCandidates(
  db: Pick<Database, 'search'>,
  { projectId, environmentId }: ThreadSearch,
  query: string,
  wanted: number,
): Promise<readonly Candidate[]> {
  const tenant = [projectId, environmentId, query];
  const words = listWords(query);
  let rare = query;
  const ask = (...blocks: readonly string[]): Promise<Candidate[]> => {
    const marks = blocks.map(block => `'${environmentId}${block}'`).join(' | ');
    const statement = askIndex(blocks[0] === `#${nameBlock}` ? '= 0' : '> 0');
    return withinTime(db.search<Candidate>(projectId, statement, [...tenant, marks, rare]));
  };
  const [[newest], named] = await Promise.all([
    db.search<Newest>(projectId, lookThroughNewest, [...tenant, words]),
    ask(`#${nameBlock}`),
  ]);
  const { count = 0, seq = 0, end = 0, found: recent = [], having = [] } = newest ?? {};
  const found = [...named, ...(recent ?? []).map(each => ({ ...each, at: new Date(each.at) }))];
  const isEnough = (): boolean => new Set(found.map(({ threadId }) => threadId)).size >= wanted;
  if (count < newestRows || isEnough()) return found;
  const likely = ((recent ?? []).length * walkedRows) / newestRows;
  if (likely >= 1.2 * (wanted - found.length)) {
    found.push(...(await withinTime(db.search(projectId, walk, [...tenant, end, 2 * wanted]))));
    if (isEnough()) return found;
  }
  const others = words.filter((_, index) => (having?.[index] ?? 0) <= commonRows);
  if (others.length > 0) rare = others.join(' & ');
  const block = Math.floor((seq ?? 0) / 2 ** blockBits);
  found.push(...(await ask(...Array.from({ length: newestBlocks }, (_, back) => `#${block - back}`))));
  if (!isEnough()) found.push(...(await ask('')));
  return found;
}

/** Words that every message with the query has; none where one or the other will do, or one must not be there. */
function listWords(query: string): readonly string[] {
  const word = /'(?:[^']|'')*'(?::\*)?/g;
  return /[|!]/.test(query.replaceAll(word, '')) ? [] : (query.match(word) ?? []).slice(0, maxWords);
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
  readonly bySubject: boolean;
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
  const text = limitBytes(showBest(conditions.filters, limit));
  const rows = await db.search<Shown>(projectId, text, conditions.values);
  return cutPage(rows, limit).rows.map(({ threadId, row, messageId, at, marked, bySubject }) => ({
    threadId,
    row,
    match: {
      field: messageId !== null ? 'message' : bySubject ? 'subject' : 'participant',
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
