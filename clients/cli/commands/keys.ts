/** `skein keys`: API keys. No key may do this; a person signs in for it. */
import type { ApiKey, CreateApiKeyBody } from '../../sdk/index.ts';
import { keyColumns } from '../columns.ts';
import { defineCommand, defineList, option, type Family } from '../command.ts';
import type { Context } from '../context.ts';
import { parseDuration } from '../durations.ts';
import { collectPatterns } from '../event-filter.ts';
import { CliError, exitCodes } from '../failures.ts';

interface CreateOptions {
  readonly scopes?: CreateApiKeyBody['scopes'];
  readonly expires?: number;
}

export const keys: Family = {
  name: 'keys',
  description: 'API keys: list, create, rotate, revoke',
  commands: [
    defineList<ApiKey>({
      usage: 'list',
      description: 'the keys of the project',
      columns: keyColumns,
      list: skein => skein.apiKeys.list(),
      needsSignIn: true,
    }),
    defineCommand<CreateOptions>({
      usage: 'create <name>',
      description: 'make one, of --environment test (the default) or live; its secret goes to stdout, once',
      options: [
        option('--scopes <scopes>', 'what it may do, with commas; default: everything', {
          parse: collectPatterns,
        }),
        option('--expires <time>', 'for how long: 90d; default: for good', { parse: parseDuration }),
      ],
      examples: '  skein keys create CI --scopes threads:read,messages:read --expires 90d > key.txt',
      async run(context, [name = ''], { scopes = ['*'], expires }) {
        const environment = readEnvironment(context);
        const skein = await context.connectSignedIn();
        const expiresAt = expires === undefined ? undefined : new Date(Date.now() + expires).toISOString();
        const made = await skein.apiKeys.create({ name, environment, scopes, expiresAt });
        printSecret(context, made, made.secret, `Made ${made.apiKeyId}. Its secret is shown this once:`);
      },
    }),
    defineCommand<{ readonly grace?: number }>({
      usage: 'rotate <apiKeyId>',
      description: 'a successor, whose secret goes to stdout, once',
      options: [option('--grace <time>', 'for how long the old one works: 1h', { parse: parseDuration })],
      async run(context, [apiKeyId = ''], { grace }) {
        const skein = await context.connectSignedIn();
        const gracePeriodSeconds = grace === undefined ? undefined : grace / 1_000;
        const made = await skein.apiKeys.rotate(apiKeyId, { gracePeriodSeconds });
        printSecret(
          context,
          made,
          made.newKey.secret,
          `Made ${made.newKey.apiKeyId}. Its secret is shown this once:`,
        );
      },
    }),
    defineCommand({
      usage: 'revoke <apiKeyId>',
      description: 'end it at once',
      async run(context, [apiKeyId = '']) {
        await (await context.connectSignedIn()).apiKeys.revoke(apiKeyId);
        context.output.say(`Revoked ${apiKeyId}.`);
      },
    }),
  ],
};

/** Here `--environment` is a kind: keys are made for the sandbox or for production. */
function readEnvironment({ options }: Context): 'test' | 'live' {
  const { environment = 'test' } = options;
  if (environment !== 'test' && environment !== 'live')
    throw new CliError('--environment of a key is test or live.', exitCodes.usage);
  return environment;
}

function printSecret({ output }: Context, made: object, secret: string, words: string): void {
  if (output.isJson) return output.json(made);
  output.say(words);
  output.line(secret);
}
