/** `skein doctor`: what stands between you and a delivered message, looked at one by one. */
import { ApiError, apiVersion, AuthError, type Answer, type Caller, type Skein } from '../../sdk/index.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { endSentence, exitCodes, SilentExit } from '../failures.ts';
import { toPrintable } from '../output.ts';

interface Finding {
  readonly check: string;
  /** `note`: nothing is broken by it. */
  readonly result: 'ok' | 'note' | 'failed';
  readonly detail: string;
}

/** Webhooks are refused beyond 300 s, and a clock that is off by 30 s goes on drifting. */
const mostClockSeconds = 30;
/** What following the stream needs. */
const streamScopes = ['threads:read', 'messages:read'];
const streamTimeoutMs = 5_000;

export const doctor = defineCommand({
  usage: 'doctor',
  description: 'server, contract, clock, credential, scopes, stream, quota, stitches; exit 1 if one fails',
  async run(context) {
    let failed = 0;
    for await (const finding of examine(context)) {
      if (finding.result === 'failed') failed += 1;
      print(context, finding);
    }
    if (failed > 0) throw new SilentExit(exitCodes.failed);
  },
});

const styles = { ok: 'green', note: 'yellow', failed: 'red' } as const;

function print({ output }: Context, finding: Finding): void {
  if (output.isJson) return output.json(finding);
  const { check, result, detail } = finding;
  output.line(
    `${output.style(styles[result], result.padEnd(6))}  ${check.padEnd(10)}  ${toPrintable(detail)}`,
  );
}

/** Without a server there is nothing else to see, nor without a credential. */
async function* examine(context: Context): AsyncGenerator<Finding> {
  const { baseUrl } = await context.getCredential();
  const server = await examineServer(context, baseUrl);
  yield* server.findings;
  if (!server.isThere) return;
  const { finding, skein, answer } = await examineCredential(context);
  yield finding;
  if (skein === undefined || answer === undefined) return;
  yield examineScopes(answer.data);
  yield await examineStream(skein);
  yield examineQuota(answer);
  yield await examineStitches(skein);
}

async function examineServer(
  context: Context,
  baseUrl: string,
): Promise<{ readonly isThere: boolean; readonly findings: readonly Finding[] }> {
  try {
    const anonymous = context.connectAnonymously(baseUrl);
    const askedAt = Date.now();
    const { data, response } = await anonymous
      .request<{ readonly info?: { readonly version?: string } }>('getOpenApi', {}, { maxRetries: 0 })
      .withResponse();
    const version = data.info?.version ?? 'unknown';
    const findings: Finding[] = [
      { check: 'server', result: 'ok', detail: baseUrl },
      compareVersions(version),
      compareClocks(response.headers.get('date'), askedAt),
    ];
    return { isThere: true, findings };
  } catch (error) {
    const { message } = error as Error;
    // Somebody does answer, and needs not to be started.
    const advice = error instanceof ApiError ? '' : ' In its repository `npm start` starts it.';
    const detail = `${baseUrl}: ${endSentence(message)}${advice}`;
    return { isThere: false, findings: [{ check: 'server', result: 'failed', detail }] };
  }
}

/** Dates as texts compare as dates. */
function compareVersions(version: string): Finding {
  const check = 'contract';
  if (version === apiVersion) return { check, result: 'ok', detail: version };
  const relation = version > apiVersion ? 'newer' : 'older';
  const detail = `the server has ${version}, which is ${relation} than ${apiVersion} of this program`;
  return { check, result: 'note', detail };
}

/** The server's time is one between asking and now, cut down to whole seconds. */
function compareClocks(date: string | null, askedAt: number): Finding {
  const check = 'clock';
  const named = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(named))
    return { check, result: 'note', detail: 'the server does not say what time it is' };
  const ahead = Math.round((askedAt - named - 1_000) / 1_000);
  const behind = Math.round((named - Date.now()) / 1_000);
  const off = Math.max(ahead, behind);
  if (off <= 0) return { check, result: 'ok', detail: "as the server's" };
  const detail = `${off} s ${ahead > 0 ? 'ahead of' : 'behind'} the server`;
  return off > mostClockSeconds
    ? { check, result: 'failed', detail: `${detail}: signatures of webhooks will be refused` }
    : { check, result: 'ok', detail };
}

async function examineCredential(
  context: Context,
): Promise<{ readonly finding: Finding; readonly skein?: Skein; readonly answer?: Answer<Caller> }> {
  const check = 'credential';
  try {
    const skein = await context.connect();
    const answer = await skein.caller.get().withResponse();
    const { data: caller } = answer;
    const name = caller.apiKey?.keyPrefix ?? caller.user?.email ?? caller.type;
    const until = caller.expiresAt === null ? '' : `, until ${caller.expiresAt}`;
    const detail = `${name}, ${caller.environmentKind ?? 'no environment'}${until}`;
    return { finding: { check, result: 'ok', detail }, skein, answer };
  } catch (error) {
    const advice = error instanceof AuthError ? ' `skein login` makes a new one.' : '';
    return {
      finding: { check, result: 'failed', detail: `${endSentence((error as Error).message)}${advice}` },
    };
  }
}

function examineScopes({ scopes }: Caller): Finding {
  const check = 'scopes';
  if (scopes === null) return { check, result: 'ok', detail: 'a person: as the roles say' };
  const missing = scopes.includes('*') ? [] : streamScopes.filter(scope => !scopes.includes(scope));
  if (missing.length === 0) return { check, result: 'ok', detail: scopes.join(', ') };
  return {
    check,
    result: 'note',
    detail: `listen, tail and chat cannot follow without ${missing.join(', ')}`,
  };
}

async function examineStream(skein: Skein): Promise<Finding> {
  const check = 'stream';
  const started = performance.now();
  const signal = AbortSignal.timeout(streamTimeoutMs);
  try {
    for await (const item of skein.stream({ signal })) {
      if (item.type !== 'resumed') continue;
      return {
        check,
        result: 'ok',
        detail: `open after ${Math.round(performance.now() - started)} ms, at ${item.cursor.seq}`,
      };
    }
    return { check, result: 'failed', detail: 'no answer: does a proxy keep websockets away?' };
  } catch (error) {
    return { check, result: 'failed', detail: (error as Error).message };
  }
}

function examineQuota({ rateLimit }: Answer<Caller>): Finding {
  const check = 'quota';
  if (rateLimit === undefined) return { check, result: 'ok', detail: 'no limits' };
  const { limit, remaining } = rateLimit;
  return { check, result: remaining === 0 ? 'failed' : 'ok', detail: `${remaining} of ${limit} reads left` };
}

async function examineStitches(skein: Skein): Promise<Finding> {
  const check = 'stitches';
  try {
    const { data } = await skein.stitches.list({ limit: 100 });
    const broken = data.filter(({ status }) => status === 'error').map(({ stitchId }) => stitchId);
    return broken.length === 0
      ? { check, result: 'ok', detail: `${data.length}, none in error` }
      : { check, result: 'failed', detail: `in error: ${broken.join(', ')}` };
  } catch (error) {
    return { check, result: 'note', detail: (error as Error).message };
  }
}
