/** Environment variables: what they default to, what they take, and what is said of the rest. */
import t from 'tap';
import { ConfigError, helpText, readConfig } from '../../gateway/config.ts';
import { variables } from '../../gateway/config-variables.ts';

const ring = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

t.test('nothing set: one node with a database of its own, for its own machine', t => {
  const config = readConfig({ PATH: '/bin', BASE_URL: '' });
  t.match(config, {
    embedded: true,
    host: '127.0.0.1',
    port: 8080,
    grpc: { port: 9090, serviceTokens: [], tls: undefined },
    baseUrl: undefined,
    dataDir: './.skein',
    natsUrls: undefined,
    cluster: 'skein',
    signup: 'open',
    emailDomains: [],
    rateLimits: {},
    trustedProxies: 0,
    logLevel: 'info',
  });
  t.end();
});

t.test('a database of somebody else: open to the network, closed to private addresses', t => {
  const url = 'postgresql://skein@db:5432/skein';
  t.match(readConfig({ DATABASE_URL: url }), { embedded: false, host: '0.0.0.0', databaseUrl: url });
  t.end();
});

t.test('where webhooks may go follows from the database, unless it is said', t => {
  const shared = { DATABASE_URL: 'postgres://db/skein' };
  t.equal(readConfig({}).outboundReach, 'loopback');
  t.equal(readConfig(shared).outboundReach, 'public');
  t.equal(readConfig({ ...shared, ALLOW_PRIVATE_ADDRESSES: 'true' }).outboundReach, 'any');
  t.equal(readConfig({ ALLOW_PRIVATE_ADDRESSES: 'false' }).outboundReach, 'public');
  t.end();
});

t.test('every variable arrives', t => {
  const config = readConfig({
    ...{ HOST: '::1', PORT: '0', GRPC_PORT: '9443', SERVICE_TOKENS: `${'a'.repeat(24)}, ${'b'.repeat(24)}` },
    ...{ GRPC_TLS_CERT: '/c', GRPC_TLS_KEY: '/k', GRPC_TLS_CA: '/ca' },
    ...{
      BASE_URL: 'https://api.example.com/',
      DOCS_URL: 'https://docs.example.com/skein/',
      TRUSTED_PROXIES: '2',
    },
    ...{
      DATA_DIR: '/data',
      DATABASE_URL: 'postgres://db/skein',
      NATS_URL: 'nats://a:4222,tls://b',
      CLUSTER: 'eu-1',
    },
    ...{
      SECRET_KEYS: ring,
      TOKEN_KEYS: ring,
      SMTP_URL: 'smtps://u:p@mail',
      MAIL_FROM: 'Us <us@example.com>',
    },
    ...{ MEDIA_URL: 's3://bucket/prefix', SIGNUP: 'disabled', EMAIL_DOMAINS: 'Example.com,b.org' },
    ...{ ALLOW_PRIVATE_ADDRESSES: 'true', RATE_LIMITS: '{"read":2400}', GRAPH_API_URL: 'http://graph/' },
    ...{
      LLM_PROVIDER_1_URL: 'http://one',
      LLM_PROVIDER_2_URL: 'http://two',
      LLM_PROVIDER_3_URL: 'http://three',
    },
    ...{ LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' },
  });
  t.match(config, {
    ...{ embedded: false, host: '::1', port: 0 },
    grpc: {
      port: 9443,
      serviceTokens: ['a'.repeat(24), 'b'.repeat(24)],
      tls: { cert: '/c', key: '/k', ca: '/ca' },
    },
    ...{ baseUrl: 'https://api.example.com', docsUrl: 'https://docs.example.com/skein', trustedProxies: 2 },
    ...{ dataDir: '/data', natsUrls: ['nats://a:4222', 'tls://b'], cluster: 'eu-1' },
    ...{ secretKeys: ring, tokenKeys: ring, smtpUrl: 'smtps://u:p@mail', mailFrom: 'Us <us@example.com>' },
    ...{ mediaUrl: 's3://bucket/prefix', signup: 'disabled', emailDomains: ['example.com', 'b.org'] },
    ...{ rateLimits: { read: 2400 }, graphApiUrl: 'http://graph' },
    ...{ llmProviderUrls: ['http://one', 'http://two', 'http://three'] },
    ...{ logLevel: 'debug', otlpEndpoint: 'http://otel:4318' },
  });
  t.end();
});

t.test('a bad value names its variable and what it wants', t => {
  const bad: Record<string, readonly string[]> = {
    HOST: ['-', 'a b', 'http://a'],
    PORT: ['65536', '-1', '80a', '1e3', ' 80'],
    BASE_URL: ['api.example.com', 'ftp://a', 'https://a/path', 'https://a?x=1', 'https://u:p@a'],
    DOCS_URL: ['/docs', 'javascript:alert(1)'],
    TRUSTED_PROXIES: ['17', '-1', 'yes'],
    CLUSTER: ['', 'Upper', 'a.b', 'x'.repeat(33)].slice(1),
    MAIL_FROM: ['nobody', 'a@b\r\nBcc: c@d'],
    MEDIA_URL: ['ftp://x', 's3://'],
    SIGNUP: ['yes', 'OPEN'],
    EMAIL_DOMAINS: ['a@b.c', 'localhost', 'a.com,,b.com'],
    ALLOW_PRIVATE_ADDRESSES: ['1', 'yes'],
    RATE_LIMITS: ['no', '[]', 'null', '{"raed":1}', '{"read":0}', '{"read":"9"}', '{'],
    LOG_LEVEL: ['verbose'],
    GRAPH_API_URL: ['graph'],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const [problem, ...others] = problemsOf({ [name]: value });
      t.equal(
        problem,
        `${name} wants ${variables[name as keyof typeof variables].wants}, not ${JSON.stringify(value)}`,
      );
      t.same(others, []);
    }
  }
  t.end();
});

t.test('a bad secret is not repeated', t => {
  const secrets = {
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    NATS_URL: 'http://hunter2@nats',
    SECRET_KEYS: 'k1:hunter2',
    TOKEN_KEYS: 'hunter2',
    SMTP_URL: 'hunter2',
    SERVICE_TOKENS: 'hunter2',
  };
  for (const [name, value] of Object.entries(secrets)) {
    const text = problemsOf({ [name]: value }).join('\n');
    t.match(text, `${name} wants `);
    t.notMatch(text, /hunter2/);
  }
  t.end();
});

t.test('everything that is wrong is said at once', t => {
  const problems = problemsOf({ PORT: 'x', LOG_LEVEL: 'y', GRPC_TLS_CERT: '/c' });
  t.equal(problems.length, 3);
  t.throws(() => readConfig({ PORT: 'x', LOG_LEVEL: 'y' }), /PORT wants[^]*LOG_LEVEL wants/);
  t.end();
});

t.test('what belongs together comes together', t => {
  t.same(
    problemsOf({ NATS_URL: 'nats://n' }).map(problem => problem.split(' ')[0]),
    ['DATABASE_URL', 'SECRET_KEYS', 'TOKEN_KEYS'],
  );
  t.match(problemsOf({ GRPC_TLS_KEY: '/k' })[0], /^GRPC_TLS_CERT is required/);
  t.match(problemsOf({ GRPC_TLS_CA: '/k' })[0], /^GRPC_TLS_CERT is required/);
  t.end();
});

t.test('the help names every variable, its default and what it wants', t => {
  const help = helpText();
  for (const [name, { meaning, wants, fallback }] of Object.entries(variables)) {
    for (const part of [name, meaning, wants, fallback]) t.ok(help.includes(part), `${name}: ${part}`);
  }
  t.ok(
    help.split('\n').every(line => line.length <= 120),
    'within the width of a terminal',
  );
  t.end();
});
