/** What all events of one source have in common. */

import type { Subscriptions } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { Kernel } from '../platform/kernel.ts';
import type { Account } from './account.ts';
import type { Provider } from './provider.ts';

export interface SourceContext {
  readonly provider: Provider;
  readonly kernel: Kernel;
  readonly account: Account;
  readonly throwOnErrors: boolean;
  readonly subscriptions: Subscriptions;
  /** The source itself; there is none before all of its events are there. */
  readonly source: () => Listenable;
}
