/** The columns of the tables that a trace becomes in Parquet. Dates and services are in the names of the folders. */
import type { Column } from '../../wire/parquet/column.ts';
import { Int64Column, IntColumn } from '../../wire/parquet/numbers-column.ts';
import { TextColumn } from '../../wire/parquet/text-column.ts';

/** What all rows of a trace have in common: where they come from. */
export interface RowSource {
  /** Rows of several tables belong together by it. */
  readonly trace: string;
  readonly hostName?: string | undefined;
  readonly containerId?: string | undefined;
  readonly podName?: string | undefined;
  readonly podUid?: string | undefined;
  /** A process may have several, each with its own rows. */
  readonly agentRule?: string | undefined;
  /** OpenTelemetry's, as JSON. */
  readonly resourceAttributes?: string | undefined;
}

/** Its columns are its own properties: first `trace`, last the rest of the source. */
export abstract class Table {
  readonly trace = new TextColumn('trace');
  readonly hostName = new TextColumn('host_name');
  readonly containerId = new TextColumn('container_id');
  readonly podName = new TextColumn('pod_name');
  readonly podUid = new TextColumn('pod_uid');
  readonly agentRule = new TextColumn('agent_rule');
  readonly resourceAttributes = new TextColumn('resource_attributes', { isRanged: false });

  get columns(): Column[] {
    const { hostName, containerId, podName, podUid, agentRule, resourceAttributes } = this;
    const last: Column[] = [hostName, containerId, podName, podUid, agentRule, resourceAttributes];
    const all: Column[] = Object.values(this);
    return [...all.filter((column) => !last.includes(column)), ...last];
  }

  putSource(source: RowSource): void {
    this.trace.add(source.trace);
    this.hostName.add(source.hostName);
    this.containerId.add(source.containerId);
    this.podName.add(source.podName);
    this.podUid.add(source.podUid);
    this.agentRule.add(source.agentRule);
    this.resourceAttributes.add(source.resourceAttributes);
  }
}

export class EventTable extends Table {
  readonly ts = new Int64Column('ts', 'timestamp');
  readonly tsNs = new Int64Column('ts_ns');
  readonly sinceStart = new Int64Column('ts_since_start_ns');
  readonly pid = new IntColumn('pid');
  readonly tid = new IntColumn('tid');
  readonly cpu = new IntColumn('cpu');
  readonly provider = new TextColumn('provider');
  readonly providerGuid = new TextColumn('provider_guid');
  readonly name = new TextColumn('name');
  readonly id = new IntColumn('id');
  readonly version = new IntColumn('version');
  readonly level = new IntColumn('level');
  readonly opcode = new IntColumn('opcode');
  readonly task = new IntColumn('task');
  readonly keywords = new Int64Column('keywords', 'unsigned');
  readonly activityId = new TextColumn('activity_id', { isRanged: false });
  readonly activityPath = new TextColumn('activity_path');
  readonly pathPrefixes = new TextColumn('path_prefixes', { isList: true, isRanged: false });
  readonly relatedActivityId = new TextColumn('related_activity_id', { isRanged: false });
  readonly traceId = new TextColumn('trace_id', { isRanged: false });
  readonly spanId = new TextColumn('span_id', { isRanged: false });
  readonly payload = new TextColumn('payload', { isRanged: false });
  readonly stackId = new IntColumn('stack_id');
}

export class ActivityTable extends Table {
  readonly seq = new IntColumn('seq');
  readonly parentSeq = new IntColumn('parent_seq');
  readonly provider = new TextColumn('provider');
  readonly name = new TextColumn('name');
  readonly label = new TextColumn('label', { isRanged: false });
  readonly activityId = new TextColumn('activity_id', { isRanged: false });
  readonly path = new TextColumn('path');
  readonly parentPath = new TextColumn('parent_path');
  readonly depth = new IntColumn('depth');
  readonly pid = new IntColumn('pid');
  readonly tid = new IntColumn('tid');
  readonly startTs = new Int64Column('start_ts', 'timestamp');
  readonly startTsNs = new Int64Column('start_ts_ns');
  readonly endTs = new Int64Column('end_ts', 'timestamp');
  readonly endTsNs = new Int64Column('end_ts_ns');
  readonly durNs = new IntColumn('dur_ns');
  readonly selfNs = new IntColumn('self_ns');
  readonly state = new TextColumn('state');
  /** 1 or 0. */
  readonly failed = new IntColumn('failed');
  readonly startPayload = new TextColumn('start_payload', { isRanged: false });
  readonly stopPayload = new TextColumn('stop_payload', { isRanged: false });
  readonly traceId = new TextColumn('trace_id', { isRanged: false });
  readonly spanId = new TextColumn('span_id', { isRanged: false });
  readonly parentSpanId = new TextColumn('parent_span_id', { isRanged: false });
}

export class SampleTable extends Table {
  readonly ts = new Int64Column('ts', 'timestamp');
  readonly tsNs = new Int64Column('ts_ns');
  readonly pid = new IntColumn('pid');
  readonly tid = new IntColumn('tid');
  readonly cpu = new IntColumn('cpu');
  readonly activityId = new TextColumn('activity_id', { isRanged: false });
  readonly activitySeq = new IntColumn('activity_seq');
  readonly stackId = new IntColumn('stack_id');
  readonly weight = new IntColumn('weight');
}

export class StackTable extends Table {
  readonly stackId = new IntColumn('stack_id');
  readonly frames = new TextColumn('frames', { isList: true, isRanged: false });
}

export class ProcessTable extends Table {
  readonly pid = new IntColumn('pid');
  readonly name = new TextColumn('name');
  readonly firstTs = new Int64Column('first_ts', 'timestamp');
  readonly firstTsNs = new Int64Column('first_ts_ns');
}

export class ThreadTable extends Table {
  readonly pid = new IntColumn('pid');
  readonly tid = new IntColumn('tid');
  readonly firstTs = new Int64Column('first_ts', 'timestamp');
  readonly firstTsNs = new Int64Column('first_ts_ns');
  readonly events = new IntColumn('events');
}

export class LossTable extends Table {
  readonly startTs = new Int64Column('start_ts', 'timestamp');
  readonly startTsNs = new Int64Column('start_ts_ns');
  readonly lostEvents = new IntColumn('lost_events');
  readonly lostBuffers = new IntColumn('lost_buffers');
  readonly lateEvents = new IntColumn('late_events');
  readonly problem = new TextColumn('problem', { isRanged: false });
}
