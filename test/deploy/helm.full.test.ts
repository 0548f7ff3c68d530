/** `deploy/helm`: the chart says what `deploy/kubernetes` says, and its values do what they are there for. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { checkAgreement, find, getContainer } from './support/agreement.ts';
import { readValues, renderChart, type Values } from './support/helm.ts';
import { findFaults } from './support/kubernetes-schemas.ts';
import { kustomize } from './support/kustomize.ts';
import { toKey } from './support/manifest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}deploy/helm`;
const values = readValues(folder);
const render = (changes: Values = {}, name = 'skein') =>
  renderChart(folder, { name, values: { ...values, ...changes } });
/** A group of values with some of them changed. */
const change = (group: string, changes: Values): Values => ({
  [group]: { ...(values[group] as Values), ...changes },
});

t.test('with its own values it is what kustomize makes of deploy/kubernetes', async t => {
  const { manifests } = render();
  const byName = (list: typeof manifests) => Object.fromEntries(list.map(each => [toKey(each), each]));
  t.strictSame(byName(manifests), byName(kustomize(`${root}deploy/kubernetes`)));
});

t.test('as another release it has other names, which agree', async t => {
  const { manifests } = render({ secret: 'other-secret' }, 'other');
  for (const manifest of manifests) {
    t.same(findFaults(manifest), [], manifest.kind);
    t.equal(manifest.metadata.name, 'other');
  }
  checkAgreement(t, manifests, 'other-secret');
});

t.test('values switch on and off what they name', async t => {
  const kinds = (changes: Values): readonly string[] => render(changes).manifests.map(({ kind }) => kind);
  const all = kinds({});
  for (const [group, kind] of [
    ['ingress', 'Ingress'],
    ['networkPolicy', 'NetworkPolicy'],
    ['serviceMonitor', 'ServiceMonitor'],
  ] as const) {
    const left = kinds(change(group, { enabled: false }));
    t.same(
      left,
      all.filter(each => each !== kind),
      group,
    );
  }
  const annotations = { 'example.com/body-size': '110m' };
  const { manifests } = render({
    ...change('ingress', { className: 'public', annotations, host: 'chat.example.org' }),
    ...change('image', { pullSecrets: [{ name: 'registry' }], tag: '1.2.3' }),
    ...change('nodes', { min: 5, max: 9, waitingCommands: '800' }),
    config: { BASE_URL: 'https://chat.example.org', GRPC_PORT: 'off' },
  });
  for (const manifest of manifests) t.same(findFaults(manifest), [], manifest.kind);
  t.match(find(manifests, 'Ingress'), {
    metadata: { annotations },
    spec: { ingressClassName: 'public', rules: [{ host: 'chat.example.org' }] },
  });
  t.match(find(manifests, 'Deployment').spec.template.spec, { imagePullSecrets: [{ name: 'registry' }] });
  t.equal(getContainer(manifests).image, 'registry.example.com/skein:1.2.3');
  t.match(find(manifests, 'HorizontalPodAutoscaler').spec, { minReplicas: 5, maxReplicas: 9 });
  t.strictSame(find(manifests, 'ConfigMap').data, { BASE_URL: 'https://chat.example.org', GRPC_PORT: 'off' });
});

t.test('there is no value that no template asks for', async t => {
  const { used } = renderChart(folder, { name: 'skein', values });
  const listed = (node: unknown, path: string): string[] =>
    used.has(path) || typeof node !== 'object' || node === null || Array.isArray(node)
      ? [path]
      : Object.entries(node).flatMap(([name, inner]) =>
          listed(inner, path === '' ? name : `${path}.${name}`),
        );
  t.same(
    listed(values, '').filter(path => !used.has(path)),
    [],
  );
});

t.test('its version is that of the program', async t => {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly version: string };
  const chart = parse(readFileSync(`${folder}/Chart.yaml`, 'utf8')) as Values;
  t.match(chart, { apiVersion: 'v2', name: 'skein', version, appVersion: version });
  t.equal((values['image'] as Values)['tag'], version);
});
