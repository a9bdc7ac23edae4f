"""NonMaxSuppressionV5: the best boxes and their scores, which fall where boxes overlap."""

from runtimes.families.non_max_suppression import suppression

OP = suppression("non_max_suppression_v5", "NON_MAX_SUPPRESSION_V5", decays=True)
