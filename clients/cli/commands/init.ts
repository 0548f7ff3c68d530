/** `skein init`: from nothing to a folder whose code can send. What is there already is used, and nothing is overwritten. */
import { basename, resolve } from 'node:path';
import type { Skein } from '../../sdk/index.ts';
import { ApiError, AuthError } from '../../sdk/index.ts';
import { findSignInPlace, keepSignIn, signIn, type Account } from '../accounts.ts';
import { defineCommand, option, programName } from '../command.ts';
import { Context } from '../context.ts';
import { checkAddress, defaultBaseUrl, isSameServer } from '../credentials.ts';
import {
  addToEnvFile,
  checkEnvFile,
  checkFolder,
  closeEnvFile,
  ignoreEnvFile,
  readEnvFile,
  type EnvFile,
} from '../env-file.ts';
import { CliError, exitCodes } from '../failures.ts';
import { getWebhookSecret } from '../listen/state.ts';
import type { SignIn } from '../profiles.ts';
import { askChoice, askPassword, askText, hasTerminal, readSecret } from '../questions.ts';
import { findSandboxChannel } from '../sandbox.ts';

interface InitOptions {
  readonly dir: string;
  readonly yes?: boolean;
  readonly email?: string;
  readonly passwordStdin?: boolean;
}

/** What it adds to .env. */
const envNames = [
  'SKEIN_BASE_URL',
  'SKEIN_API_KEY',
  'SKEIN_PROJECT_ID',
  'SKEIN_CHANNEL_ID',
  'SKEIN_WEBHOOK_SECRET',
] as const;

/** Of an account's password. */
const leastPassword = 8;

export const init = defineCommand<InitOptions>({
  usage: 'init',
  description: 'make a folder ready: an account, a sandbox channel, a key in .env, a first message',
  options: [
    option('--dir <folder>', 'which', { preset: '.' }),
    option('--yes', 'ask nothing'),
    option('--email <address>', 'of the account'),
    option('--password-stdin', 'read its password from stdin'),
  ],
  async run(context, _args, options) {
    const folder = resolve(options.dir);
    await checkFolder(folder);
    await checkEnvFile(folder);
    const signedIn = await ensureCredential(context, options);
    const skein = await signedIn.connect();
    await checkOwner(await readEnvFile(folder), signedIn, skein);
    const channelId = await ensureChannel(skein);
    await writeEnvFile(signedIn, skein, folder, channelId);
    const { threadId, messageId } = await skein.channels.simulate(channelId, {
      event: 'inbound',
      externalParticipantRef: 'customer-1',
      body: 'Is anybody there?',
    });
    const { output } = context;
    if (output.isJson) return output.json({ folder, channelId, threadId, messageId });
    output.say(`customer-1 has written: ${messageId}, in thread ${threadId}.`);
    output.say(
      `Answer it: \`${programName} threads send\`, or with these lines. Be customer-1 yourself: \`${programName} chat\`.\n`,
    );
    output.line(createProgram(threadId ?? ''));
  },
});

/** A context whose credential is good: what there was, or a new sign-in. */
async function ensureCredential(context: Context, options: InitOptions): Promise<Context> {
  const credential = await context.getCredential();
  if (credential.source !== undefined) {
    await (await context.connect()).caller.get();
    context.output.say(
      `Using ${credential.source === 'profile' ? `profile ${credential.profileName}` : 'SKEIN_API_KEY'}.`,
    );
    return context;
  }
  const place = await findSignInPlace(context);
  const anonymous = context.connectAnonymously(place.baseUrl);
  await keepSignIn(context, place, await openAccount(anonymous, options));
  context.output.say(`Signed in at ${place.baseUrl}; kept as profile ${place.profileName}.`);
  return new Context({ ...context.options, profile: place.profileName }, context.version);
}

async function openAccount(anonymous: Skein, options: InitOptions): Promise<SignIn> {
  const isAsking = options.yes !== true && hasTerminal();
  const instead = '--email and --password-stdin';
  if (!isAsking && (options.email === undefined || options.passwordStdin !== true)) {
    throw new CliError(
      'There is no account yet, and nobody to ask.',
      exitCodes.usage,
      `Give ${instead}, or set SKEIN_API_KEY.`,
    );
  }
  const kind = isAsking
    ? await askChoice('An account on this server?', instead, [
        { value: 'new', label: 'I need one' },
        { value: 'old', label: 'I have one' },
      ])
    : 'either';
  const email = options.email ?? (await askText('E-mail address', '--email'));
  const password =
    options.passwordStdin === true
      ? await readSecret('--password-stdin')
      : await askPassword(
          kind === 'new' ? `A password, of ${leastPassword} characters or more` : 'Password',
          '--password-stdin',
          kind === 'new' ? leastPassword : 1,
        );
  return kind === 'either'
    ? signInEither(anonymous, { email, password })
    : signIn(anonymous, { email, password }, kind === 'new');
}

/** Signs up, or in where the address is known. */
async function signInEither(anonymous: Skein, account: Account): Promise<SignIn> {
  try {
    return await signIn(anonymous, account, true);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'svc/auth/email_in_use') throw error;
    return signIn(anonymous, account, false);
  }
}

/** @throws {CliError} .env is of another project: what would be added does not go with what is there */
async function checkOwner(known: EnvFile, context: Context, skein: Skein): Promise<void> {
  const { baseUrl } = await context.getCredential();
  const { projectId } = await skein.caller.get();
  const { SKEIN_API_KEY: apiKey, SKEIN_BASE_URL: server, SKEIN_PROJECT_ID: project } = known;
  const empty = envNames.find(name => known[name] === '');
  if (empty !== undefined)
    throw new CliError(
      `.env has an empty ${empty}.`,
      exitCodes.failed,
      'Give it a value, or take the line out.',
    );
  // A key without an address is one of the SDK's default.
  const itsServer = server ?? (apiKey === undefined ? baseUrl : defaultBaseUrl);
  if (!isSameServer(checkAddress(itsServer), baseUrl))
    throw refuseEnvFile(`what is of another server, ${itsServer}`);
  const owner = apiKey === undefined ? projectId : await findOwner(context, itsServer, apiKey);
  const other = [project, owner].find(each => each !== undefined && each !== projectId);
  if (other !== undefined) throw refuseEnvFile(`the id or key of another project, ${other}`);
}

/** @throws {CliError} the key is no good */
async function findOwner(context: Context, baseUrl: string, apiKey: string): Promise<string | null> {
  try {
    return (await context.connectAnonymously(baseUrl, apiKey).caller.get()).projectId;
  } catch (error) {
    if (error instanceof AuthError) throw refuseEnvFile('a key that is no good');
    throw error;
  }
}

function refuseEnvFile(what: string): CliError {
  return new CliError(
    `.env has ${what}.`,
    exitCodes.failed,
    'Take its SKEIN_ lines out, or name another folder by --dir.',
  );
}

async function ensureChannel(skein: Skein): Promise<string> {
  const channel = await findSandboxChannel(skein);
  return (channel ?? (await skein.channels.create({ name: 'Sandbox', kind: 'sandbox' }))).channelId;
}

async function writeEnvFile(
  context: Context,
  skein: Skein,
  folder: string,
  channelId: string,
): Promise<void> {
  const { output } = context;
  const { projectId, environmentId } = await skein.caller.get();
  const known = await readEnvFile(folder);
  const credential = await context.getCredential();
  const webhookSecret = await getWebhookSecret(environmentId ?? credential.environmentId ?? '');
  const add = (apiKey: string | undefined): Promise<string[]> =>
    addToEnvFile<(typeof envNames)[number]>(folder, {
      SKEIN_BASE_URL: credential.baseUrl,
      SKEIN_API_KEY: apiKey ?? '',
      SKEIN_PROJECT_ID: projectId ?? credential.projectId ?? '',
      SKEIN_CHANNEL_ID: channelId,
      SKEIN_WEBHOOK_SECRET: webhookSecret,
    });
  const givenKey = known['SKEIN_API_KEY'];
  // The folder's own key outlives the profile's, which `skein logout` revokes.
  const added =
    givenKey === undefined && credential.isSignedIn
      ? await withNewKey(context, folder, add)
      : await add(givenKey ?? credential.apiKey);
  if (added.length > 0) {
    output.say(`Added to .env: ${added.join(', ')}.`);
    if (await closeEnvFile(folder)) output.say('.env has secrets now: nobody else may read it any more.');
  }
  if (await ignoreEnvFile(folder)) output.say('Added .env to .gitignore.');
}

/** A key that is kept nowhere would be one with all scopes, and never expire: it is taken back. */
async function withNewKey<T>(
  context: Context,
  folder: string,
  keep: (secret: string) => Promise<T>,
): Promise<T> {
  const studio = await context.connectSignedIn();
  const name = `.env of ${basename(folder)}`.slice(0, 64);
  const { apiKeyId, secret } = await studio.apiKeys.create({ name, environment: 'test', scopes: ['*'] });
  try {
    return await keep(secret);
  } catch (error) {
    await studio.apiKeys.revoke(apiKeyId).catch(() => undefined);
    throw error;
  }
}

function createProgram(threadId: string): string {
  return `// answer.mjs: node --env-file=.env answer.mjs
import { Skein } from '@skein/sdk';

const skein = new Skein();
const threadId = '${threadId}';
const message = await skein.messages.create(threadId, { body: 'Yes. How can we help?' });
console.log(message.messageId, message.status);
for await (const { direction, body } of skein.messages.list(threadId)) {
  console.log(direction, body);
}`;
}
