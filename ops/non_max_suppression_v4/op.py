"""NonMaxSuppressionV4: the places of the best boxes, without those that overlap a better one."""

from runtimes.families.non_max_suppression import suppression

OP = suppression("non_max_suppression_v4", "NON_MAX_SUPPRESSION_V4", decays=False)
