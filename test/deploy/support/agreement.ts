/** Whether the objects of a cluster name each other rightly, and fit the image that they run. */
import type { Test } from 'tap';
import type { Manifest } from './manifest.ts';

type Labels = Readonly<Record<string, string>>;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly securityContext: object;
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface PodSpec {
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
  readonly terminationGracePeriodSeconds: number;
  readonly topologySpreadConstraints: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
}

interface NetworkRule {
  readonly ports?: readonly { readonly protocol: string; readonly port: number | string }[];
}

/** What is asked of each kind of object here; its schema has the rest. */
export interface Objects {
  readonly ConfigMap: Manifest & { readonly data: Readonly<Record<string, string>> };
  readonly Deployment: Manifest & {
    readonly spec: {
      readonly replicas?: number;
      readonly selector: { readonly matchLabels: Labels };
      readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    };
  };
  readonly Service: Manifest & {
    readonly spec: {
      readonly selector: Labels;
      readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
    };
  };
  readonly Ingress: Manifest & {
    readonly spec: {
      readonly tls: readonly { readonly hosts: readonly string[] }[];
      readonly rules: readonly {
        readonly host: string;
        readonly http: {
          readonly paths: readonly {
            readonly backend: {
              readonly service: { readonly name: string; readonly port: { readonly name: string } };
            };
          }[];
        };
      }[];
    };
  };
  readonly PodDisruptionBudget: Manifest & {
    readonly spec: { readonly maxUnavailable: number; readonly selector: { readonly matchLabels: Labels } };
  };
  readonly HorizontalPodAutoscaler: Manifest & {
    readonly spec: {
      readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
      readonly minReplicas: number;
      readonly maxReplicas: number;
      readonly metrics: readonly { readonly pods: { readonly metric: { readonly name: string } } }[];
    };
  };
  readonly NetworkPolicy: Manifest & {
    readonly spec: {
      readonly podSelector: { readonly matchLabels: Labels };
      readonly ingress: readonly NetworkRule[];
      readonly egress: readonly NetworkRule[];
    };
  };
  readonly ServiceMonitor: Manifest & {
    readonly spec: {
      readonly jobLabel: string;
      readonly selector: { readonly matchLabels: Labels };
      readonly endpoints: readonly {
        readonly port: string;
        readonly authorization: { readonly credentials: { readonly name: string; readonly key: string } };
      }[];
    };
  };
}

/** The one object of its kind. */
export function find<K extends keyof Objects>(manifests: readonly Manifest[], kind: K): Objects[K] {
  const [first, second] = manifests.filter(each => each.kind === kind);
  if (first === undefined || second !== undefined) throw new Error(`there is not one ${kind}`);
  return first as Objects[K];
}

export function getContainer(manifests: readonly Manifest[]): Container {
  const [container, other] = find(manifests, 'Deployment').spec.template.spec.containers;
  if (container === undefined || other !== undefined) throw new Error('there is not one container');
  return container;
}

/** Every selector finds the nodes' pods, and every name is that of an object or a port that there is. */
export function checkAgreement(t: Test, manifests: readonly Manifest[], secret: string): void {
  const deployment = find(manifests, 'Deployment');
  const service = find(manifests, 'Service');
  const autoscaler = find(manifests, 'HorizontalPodAutoscaler');
  const { template, selector } = deployment.spec;
  const pod = template.spec;
  const container = getContainer(manifests);

  const selectors: Readonly<Record<string, Labels>> = {
    Deployment: selector.matchLabels,
    Service: service.spec.selector,
    PodDisruptionBudget: find(manifests, 'PodDisruptionBudget').spec.selector.matchLabels,
    NetworkPolicy: find(manifests, 'NetworkPolicy').spec.podSelector.matchLabels,
    ...Object.fromEntries(
      pod.topologySpreadConstraints.map(({ labelSelector }, at) => [
        `spread ${at}`,
        labelSelector.matchLabels,
      ]),
    ),
  };
  for (const [name, labels] of Object.entries(selectors)) {
    t.same(labels, selector.matchLabels, `${name} selects what the Deployment does`);
    t.ok(Object.keys(labels).length === 2 && isSubset(labels, template.metadata.labels), name);
  }
  for (const { kind, metadata } of manifests)
    t.ok(isSubset(selector.matchLabels, metadata.labels ?? {}), `labels of the ${kind}`);

  const ports = container.ports.map(({ name }) => name);
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
    t.ok(ports.includes(container[probe].httpGet.port), probe);
  for (const { targetPort } of service.spec.ports) t.ok(ports.includes(targetPort), 'port of the Service');
  const served = service.spec.ports.map(({ name }) => name);

  for (const { http } of find(manifests, 'Ingress').spec.rules) {
    for (const { backend } of http.paths) {
      t.equal(backend.service.name, service.metadata.name);
      t.ok(served.includes(backend.service.port.name), 'port of the Ingress');
    }
  }
  const monitor = find(manifests, 'ServiceMonitor').spec;
  t.ok(isSubset(monitor.selector.matchLabels, service.metadata.labels ?? {}), 'the ServiceMonitor finds it');
  t.match(service.metadata.labels?.[monitor.jobLabel], /^skein/, 'its job is one that the alerts look for');
  for (const { port, authorization } of monitor.endpoints) {
    t.ok(served.includes(port), 'port of the ServiceMonitor');
    t.equal(authorization.credentials.name, secret);
  }
  const target = { apiVersion: deployment.apiVersion, kind: deployment.kind, name: deployment.metadata.name };
  t.same(autoscaler.spec.scaleTargetRef, target);
  t.notOk('replicas' in deployment.spec, 'an upgrade does not undo what the autoscaler has set');
  t.same(
    container.envFrom,
    [{ configMapRef: { name: find(manifests, 'ConfigMap').metadata.name } }, { secretRef: { name: secret } }],
    'variables come from the ConfigMap and the Secret',
  );
  t.same(
    container.volumeMounts.map(({ name }) => name),
    pod.volumes.map(({ name }) => name),
    'every volume is mounted',
  );
  const incoming = find(manifests, 'NetworkPolicy').spec.ingress.flatMap(({ ports: open = [] }) => open);
  t.same(
    incoming.map(({ port }) => port),
    ports,
    'what the container listens on is let in, and nothing else',
  );
}

function isSubset(part: Labels, whole: Labels): boolean {
  return Object.entries(part).every(([name, value]) => whole[name] === value);
}
