/** Where a process runs and what it says it is, for tables and spans. */
import { hostname } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { processResource } from '../../lib/agent/process-resource.ts';

const CONTAINER = '0123456789abcdef'.repeat(4);
const POD = '8a9c8a2e-1f2b-4c5d-9e0f-001122334455';

afterEach(() => vi.unstubAllEnvs());

describe('the resource of a process', () => {
  it.each([
    `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${POD.replaceAll('-', '_')}.slice/cri-containerd-${CONTAINER}.scope`,
    `4:memory:/kubepods/burstable/pod${POD}/${CONTAINER}`,
  ])('has the ids in the path of its control group: %s', (path) => {
    const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', HOSTNAME: 'shop-7' };
    expect(processResource(environment, path)).toEqual({
      'host.name': hostname(),
      'container.id': CONTAINER,
      'k8s.pod.uid': POD,
      'k8s.pod.name': 'shop-7',
    });
  });

  it('has what its environment says, which goes first, and what that of the agent says of the machine', () => {
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'host.name=node%201,k8s.node.name=n1,service.name=agent');
    const environment = {
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,service.version=1.2',
      OTEL_SERVICE_NAME: 'shop',
      HOSTNAME: 'any',
    };
    expect(processResource(environment, '0::/user.slice')).toEqual({
      'host.name': 'node 1',
      'k8s.node.name': 'n1',
      'service.name': 'shop',
      'service.version': '1.2',
    });
  });

  it('is bounded, whatever the process says', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `a${i}=${'x'.repeat(1000)}`).join();
    expect(JSON.stringify(processResource({ OTEL_RESOURCE_ATTRIBUTES: many }, '')).length).toBeLessThan(
      20_000,
    );
  });
});
