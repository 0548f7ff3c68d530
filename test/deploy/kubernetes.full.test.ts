/**
 * `deploy/kubernetes`: each object is as its schema says, they name each other rightly, and fit the image and the node. No Kubernetes is to
 * be had here: what a cluster does with them was not tried.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readConfig } from '../../gateway/config/index.ts';
import { variables } from '../../gateway/config/variables.ts';
import { checkAgreement, find, getContainer } from './support/agreement.ts';
import { findFaults } from './support/kubernetes-schemas.ts';
import { kustomize, readKustomization } from './support/kustomize.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}deploy/kubernetes`;
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const manifests = kustomize(folder);
const container = getContainer(manifests);
const pod = find(manifests, 'Deployment').spec.template.spec;
const { version } = JSON.parse(read('package.json')) as { readonly version: string };
const dockerfile = read('deploy/Dockerfile');

/** Of the example from which the Secret is made; empty where nothing is filled in. */
const secrets = Object.fromEntries(
  [...read('deploy/kubernetes/secret.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

t.test('every file is one of the kustomization', async t => {
  const { resources } = readKustomization(folder);
  const files = readdirSync(folder).filter(name => name.endsWith('.yaml') && name !== 'kustomization.yaml');
  t.same([...resources].sort(), files.sort());
  t.equal(manifests.length, files.length, 'each has one object');
});

t.test('every object is as its schema says, and has no field that this does not know', async t => {
  for (const manifest of manifests) t.same(findFaults(manifest), [], manifest.kind);
});

t.test('they name each other rightly', async t => {
  checkAgreement(t, manifests, 'skein');
});

t.test('they fit the image', async t => {
  const [image] = readKustomization(folder).images;
  t.equal(image?.newTag, version);
  t.equal(find(manifests, 'Deployment').metadata.labels?.['app.kubernetes.io/version'], version);
  t.equal(container.image, `registry.example.com/skein:${version}`);
  t.equal(pod.securityContext.runAsUser, Number(/^USER (\d+)$/m.exec(dockerfile)?.[1]));
  const exposed = /^EXPOSE ([\d ]+)$/m.exec(dockerfile)?.[1]?.split(' ').map(Number) ?? [];
  for (const { containerPort } of container.ports) t.ok(exposed.includes(containerPort), `${containerPort}`);
  t.same(
    container.ports.map(({ containerPort }) => String(containerPort)),
    [variables.PORT.fallback],
  );
  const [, kept = ''] = /^VOLUME (\S+)$/m.exec(dockerfile) ?? [];
  t.same(
    container.volumeMounts.map(({ mountPath }) => mountPath),
    [kept, '/tmp'],
    'all that the node writes to',
  );
  t.match(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  t.match(pod, { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
});

t.test('a node has the time to drain', async t => {
  const [, drainMs = ''] = /^const drainDeadlineMs = ([\d_]+);$/m.exec(read('gateway/main.ts')) ?? [];
  const [command, waits = ''] = container.lifecycle.preStop.exec.command;
  t.equal(command, 'sleep');
  const needed = Number(waits) + Number(drainMs.replace('_', '')) / 1_000;
  t.ok(needed >= 35, `${needed} s`);
  t.ok(pod.terminationGracePeriodSeconds >= needed + 5, 'and some more');
});

t.test('probes ask for what the node serves, and the autoscaler for what it measures', async t => {
  const monitoring = read('docs/operate/monitoring.md');
  const { startupProbe, livenessProbe, readinessProbe } = container;
  t.same(
    [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path),
    ['/healthz', '/healthz', '/readyz'],
  );
  for (const { httpGet } of [livenessProbe, readinessProbe])
    t.match(monitoring, `| \`${httpGet.path}\` |`, 'a path of the documents');
  const { minReplicas, maxReplicas, metrics } = find(manifests, 'HorizontalPodAutoscaler').spec;
  t.ok(minReplicas >= 3 && maxReplicas > minReplicas);
  t.same(
    metrics.map(({ pods }) => pods.metric.name),
    ['skein_commands'],
  );
  t.match(monitoring, '| `skein_commands` | gauge |');
});

t.test('its variables start a node of a cluster, and no secret is in the ConfigMap', async t => {
  const { data } = find(manifests, 'ConfigMap');
  const names = [...Object.keys(data), ...Object.keys(secrets), ...container.env.map(({ name }) => name)];
  t.equal(new Set(names).size, names.length, 'each is set in one place');
  t.same(
    names.filter(name => !(name in variables) && !name.startsWith('AWS_')),
    [],
    'each is one that nodes know',
  );
  t.same(
    container.env.map(({ name, valueFrom }) => [name, valueFrom.fieldRef.fieldPath]),
    [['NODE_ID', 'metadata.name']],
  );
  t.same(
    Object.keys(data).filter(name => /KEY|TOKEN|SECRET|PASSWORD|_URL$/.test(name)),
    ['BASE_URL', 'MEDIA_URL'],
  );
  const key = Buffer.alloc(32, 7).toString('base64');
  const filledIn = {
    SECRET_KEYS: `k1:${key}`,
    TOKEN_KEYS: `k1:${key}`,
    METRICS_TOKEN: 'm'.repeat(48),
    SERVICE_TOKENS: `ops:${'s'.repeat(64)}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const blank = Object.keys(secrets).filter(name => secrets[name] === '');
  t.same(blank.sort(), Object.keys(filledIn).sort(), 'what has to be filled in');
  const ofImage = Object.fromEntries(
    [...(/^ENV (.+)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  const config = readConfig({
    ...ofImage,
    ...secrets,
    ...filledIn,
    ...data,
    NODE_ID: 'skein-6d4cf56db6-x2x7q',
  });
  t.same(config.exposures, [], 'and it needs no INSECURE');
  t.ok(config.natsUrls !== undefined && config.databaseUrl !== undefined && config.media?.kind === 's3');
  const host = new URL(data['BASE_URL'] ?? '').host;
  const { tls, rules } = find(manifests, 'Ingress').spec;
  t.same([tls.flatMap(({ hosts }) => hosts), rules.map(each => each.host)], [[host], [host]]);
});

t.test('the network lets out what its variables ask for', async t => {
  const { egress } = find(manifests, 'NetworkPolicy').spec;
  const open = egress.flatMap(({ ports = [] }) => ports.map(({ port }) => String(port)));
  for (const name of ['DATABASE_URL', 'NATS_URL', 'SMTP_URL'])
    t.ok(open.includes(new URL(secrets[name] ?? '').port), name);
  t.ok(open.includes('53'), 'names');
});
