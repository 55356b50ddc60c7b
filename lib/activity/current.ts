/** The activity that the running code belongs to. */
import { sharedActivities } from './shared.ts';

/**
 * The id of the activity that the running code belongs to, as GUID text in lower case; undefined outside of
 * any, and while nobody listens.
 */
export function currentActivityId(): string | undefined {
  const { flow, tracker } = sharedActivities();
  return tracker.currentActivityId(flow.context)?.toString();
}
