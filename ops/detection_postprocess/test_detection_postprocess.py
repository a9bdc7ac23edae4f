"""DetectionPostprocess: both ways of suppression, against LiteRT and by hand."""

from opsmith.testing.op_tests import *

OPTIONS = {
    "y_scale": 10.0,
    "x_scale": 10.0,
    "h_scale": 5.0,
    "w_scale": 5.0,
    "nms_score_threshold": 0.3,
    "nms_iou_threshold": 0.5,
    "max_detections": 5,
    "max_classes_per_detection": 1,
    "num_classes": 3,
}


def detection(
    boxes: Sequence[int] = (1, 12, 4),
    scores: Sequence[int] = (1, 12, 4),
    anchors: Sequence[int] = (12, 4),
    dtype: str = "float32",
    scores_zero: int = 0,
    **others: Any,
) -> Build:
    """Post-processing to build with usual options, or with others."""
    options = {**OPTIONS, **others}
    most = max(options["max_detections"] * options["max_classes_per_detection"], 1)
    given = {"boxes": boxes, "scores": scores, "anchors": anchors}
    quantised: dict[str, tuple[float, ...]] = {}
    if dtype == "uint8":
        quantised = {"boxes": (0.05, 100), "scores": (1 / 256, scores_zero), "anchors": (0.05, 100)}
    made = {"detections": (1, most, 4), "classes": (1, most), "best": (1, most), "count": (1,)}
    return custom_node(
        "TFLite_Detection_PostProcess",
        {name: (shape, dtype, *quantised.get(name, ())) for name, shape in given.items()},
        {name: (shape, "float32") for name, shape in made.items()},
        options,
    )


WAYS: dict[str, dict[str, Any]] = {
    "fast": {},
    "classes": {"max_classes_per_detection": 2},
    "regular": {"use_regular_nms": True},
    "uint8": {"dtype": "uint8"},
    "per_class": {"use_regular_nms": True, "detections_per_class": 2},
}


def inputs(seed: int, dtype: str = "float32", labels: int = 4) -> list[Array]:
    """Inputs: overlapping boxes near their anchors, and scores as far apart as the type allows."""
    random = np.random.default_rng(seed)
    boxes = random.normal(0, 3, (1, 12, 4))
    scores = random.permutation(12 * labels).reshape(1, 12, labels) / (12 * labels)
    anchors = random.uniform(0.2, 0.8, (12, 4))
    if dtype == "uint8":
        boxes, anchors = (np.clip(x / 0.05 + 100, 0, 255).round() for x in (boxes, anchors))
        return [each.astype(np.uint8) for each in (boxes, scores * 256, anchors)]
    return [each.astype(np.float32) for each in (boxes, scores, anchors)]


class TestDetectionPostprocess(OpTests):
    oracle = "numpy"  # LiteRT fails where a box is inside out, as random anchors make them
    cases = cases(
        **{name: detection(**options) for name, options in WAYS.items()},
        no_background=detection(scores=(1, 12, 3)),
        longer_boxes=detection((1, 12, 6)),
        one_box=detection((1, 1, 4), (1, 1, 1), (1, 4), num_classes=1),
    )
    rejected = (
        refused("boxes", detection((12, 4)), "boxes f32[12x4] is not 1xNx4"),
        refused("scores", detection(scores=(1, 11, 4)), "scores f32[1x11x4] is not 1x12xC"),
        refused("classes", detection(num_classes=5), "is not for 5 classes"),
        refused("anchors", detection(anchors=(11, 4)), "anchors f32[11x4] is not 12x4"),
        refused("iou", detection(nms_iou_threshold=0.0), "nms_iou_threshold 0.0 is not above 0"),
        refused("none", detection(detections_per_class=0), "detections_per_class 0 is not 1 to"),
        refused("zero", detection(dtype="uint8", scores_zero=1), "scores must have zero point 0"),
        refused("unknown", detection(other=1), "option other=1 is not known", "MDL013"),
    )

    @pytest.mark.parametrize("way", WAYS)
    def test_it_equals_litert(self, way: str) -> None:
        """Compares as many detections as there are; LiteRT's fast way leaves the rest unwritten."""
        build = detection(**WAYS[way])
        ours, litert = self.in_numpy(build), Reference(merged_model([Case("x", build)]))
        classes = WAYS[way].get("max_classes_per_detection", 1)
        for seed in range(20):
            given = inputs(seed, WAYS[way].get("dtype", "float32"))
            found, wanted = ours.run(given), litert.run(given)
            assert found[3] == wanted[3] > 0
            used = int(found[3][0]) * classes
            for one, other in zip(found[:3], wanted[:3], strict=True):
                assert one[:, :used].tobytes() == other[:, :used].tobytes()
                assert not one[:, used:].any()

    @pytest.mark.slow
    def test_kernels_find_the_same(self) -> None:
        """Compares all ways at once, also for equal scores, and for NaN."""
        sets: list[list[Array]] = [[] for _ in range(6)]
        for options in WAYS.values():
            for seed, given in enumerate(sets):
                boxes, scores, anchors = inputs(seed, options.get("dtype", "float32"))
                third = scores.max() // 3 if scores.dtype == np.uint8 else scores.max() / 3
                scores = scores // third * third if seed % 2 else scores
                if seed > 3 and scores.dtype == np.float32:
                    scores[0, ::2, 1] = np.nan
                given += [boxes, scores, anchors]
        self.check_kernels([Case(way, detection(**options)) for way, options in WAYS.items()], sets)

    def test_of_boxes_that_overlap_the_best_is_left(self) -> None:
        """Boxes of 2 by 2: two at (0, 0), of which the second is better, and one at (5, 5)."""
        build = detection((1, 3, 4), (1, 3, 1), (3, 4), num_classes=1)
        anchors = np.array([[0, 0, 2, 2], [0, 0.5, 2, 2], [5, 5, 2, 2]], np.float32)
        scores = np.array([[[0.5], [0.75], [0.5]]], np.float32)
        found = self.in_numpy(build).run([np.zeros((1, 3, 4), np.float32), scores, anchors])
        np.testing.assert_array_equal(found[0][0, :3], [[-1, -0.5, 1, 1.5], [4, 4, 6, 6], [0] * 4])
        assert found[2][0].tolist() == [0.75, 0.5, 0, 0, 0]
        assert found[3][0] == 2
