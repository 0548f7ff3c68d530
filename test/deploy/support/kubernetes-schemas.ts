/**
 * Manifests held to the schemas of Kubernetes, by the validators of kubernetes-models, and more strictly than these do it: what a
 * validator never looks at is no field of the schema, and refused. (Kubernetes itself drops such a field, with a warning at best.)
 */
import { validate as configMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap';
import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { validate as ingress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as podAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Manifest } from './manifest.ts';

interface Problem {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: object;
}

type Validator = ((data: unknown) => boolean) & { readonly errors?: readonly Problem[] | null };

const validators: Readonly<Record<string, Validator>> = {
  'v1 ConfigMap': configMap,
  'v1 Service': service,
  'apps/v1 Deployment': deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': podAutoscaler,
  'networking.k8s.io/v1 Ingress': ingress,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
};

const strict = { additionalProperties: false };
const labels = Type.Record(Type.String(), Type.String());

/**
 * What we use of the Prometheus operator's resource, in its words (monitoring.coreos.com/v1). The schema is our own: npm has none that could
 * be had, and no Prometheus operator has seen the file.
 */
const serviceMonitor = Type.Object(
  {
    apiVersion: Type.Literal('monitoring.coreos.com/v1'),
    kind: Type.Literal('ServiceMonitor'),
    metadata: Type.Object({ name: Type.String(), labels }, strict),
    spec: Type.Object(
      {
        jobLabel: Type.String(),
        selector: Type.Object({ matchLabels: labels }, strict),
        endpoints: Type.Array(
          Type.Object(
            {
              port: Type.String(),
              path: Type.String(),
              interval: Type.String({ pattern: '^\\d+(ms|s|m)$' }),
              authorization: Type.Object(
                { credentials: Type.Object({ name: Type.String(), key: Type.String() }, strict) },
                strict,
              ),
            },
            strict,
          ),
        ),
      },
      strict,
    ),
  },
  strict,
);

/** What is wrong with it, each with its path; empty where it is as its schema says. */
export function findFaults(manifest: Manifest): readonly string[] {
  const type = `${manifest.apiVersion} ${manifest.kind}`;
  if (type === 'monitoring.coreos.com/v1 ServiceMonitor') {
    return [...Value.Errors(serviceMonitor, manifest)].map(
      ({ instancePath, message }) => `${instancePath}: ${message}`,
    );
  }
  const validate = validators[type];
  if (validate === undefined) return [`${type}: no schema`];
  const read = new Set<string>();
  if (!validate(observe(manifest, '', read))) {
    return (validate.errors ?? []).map(
      ({ instancePath, keyword, params }) => `${instancePath}: ${keyword} ${JSON.stringify(params)}`,
    );
  }
  return listUnread(manifest, '', read);
}

/** The same value, of which it is noted what is read. */
function observe<T>(value: T, path: string, read: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== 'string') return found;
      read.add(`${path}/${name}`);
      return observe(found, `${path}/${name}`, read);
    },
  });
}

function listUnread(value: unknown, path: string, read: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    read.has(`${path}/${name}`)
      ? listUnread(inner, `${path}/${name}`, read)
      : [`${path}/${name}: no such field`],
  );
}
