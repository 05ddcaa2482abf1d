import * as z from 'zod';

export const settings = z.object({
  GALLERY_QUOTA_GB: z
    .string()
    .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number of GiB such as 20')
    .prefault('20')
    .transform(Number)
    .describe('How much room the recordings of one account may take before its computers can hand in no more, in GiB.'),
});
