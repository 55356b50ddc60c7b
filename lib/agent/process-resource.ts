/** Where a process runs and what it says it is, as attributes of OpenTelemetry's resource. */
import { hostname } from 'node:os';
import { otlpResource } from '../export/otlp-settings.ts';
import type { RowSource } from '../export/parquet/tables.ts';

export type Resource = Readonly<Record<string, string>>;

/** The process chooses them, and they are in every row and every request. */
const MAX_ATTRIBUTES = 64;
const MAX_TEXT = 256;
/** What the agent's own OTEL_RESOURCE_ATTRIBUTES say about all processes of its machine. */
const OF_MACHINE = /^(?:host|cloud|k8s\.node|k8s\.cluster)\./;

/**
 * @param environment of the process
 * @param controlGroup its path, in which runtimes put the ids of the container and the pod
 */
export function processResource(
  environment: Readonly<Record<string, string | undefined>>,
  controlGroup: string,
): Resource {
  const machine = Object.entries(otlpResource()).filter(([name]) => OF_MACHINE.test(name));
  const pod = /pod([\da-f]{8}(?:[-_][\da-f]{4}){3}[-_][\da-f]{12})/.exec(controlGroup)?.[1];
  const all = {
    'host.name': hostname(),
    ...Object.fromEntries(machine),
    'container.id': /[\da-f]{64}/.exec(controlGroup)?.[0],
    'k8s.pod.uid': pod?.replaceAll('_', '-'),
    // Kubernetes gives each container both.
    'k8s.pod.name': environment.KUBERNETES_SERVICE_HOST ? environment.HOSTNAME : undefined,
    ...otlpResource(environment),
  };
  const known = Object.entries(all).flatMap(([name, value]) =>
    value ? [[name.slice(0, MAX_TEXT), value.slice(0, MAX_TEXT)] as const] : [],
  );
  return Object.fromEntries(known.slice(0, MAX_ATTRIBUTES));
}

/** What the rows of its tables say. */
export function rowSource(resource: Resource, rule: string): Omit<RowSource, 'trace'> {
  return {
    hostName: resource['host.name'],
    containerId: resource['container.id'],
    podName: resource['k8s.pod.name'],
    podUid: resource['k8s.pod.uid'],
    agentRule: rule,
    resourceAttributes: JSON.stringify(resource),
  };
}
