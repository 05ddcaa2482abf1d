import type { AgentTool } from '#platform/agent/tool.ts';

export const agentTools: readonly AgentTool[] = [];
