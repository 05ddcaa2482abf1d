import * as z from 'zod';

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The chat platforms whose bots this server runs. */
export const chatSettings = z.object({
  DISCORD_TOKEN: z
    .string()
    .refine((text) => /^[\u0021-\u007e]+$/.test(text), 'must be one word of plain characters')
    .optional()
    .meta({ isSecret: true })
    .describe('Token of the Discord bot that records presence for `/sleepstatus` (docs/chatstatus.md).'),
  DISCORD_API: z
    .string()
    .refine(isAddress, 'must be an address such as https://discord.com/api')
    .optional()
    .describe("Where Discord's API is found, if not at Discord: a proxy, or a test."),
});
